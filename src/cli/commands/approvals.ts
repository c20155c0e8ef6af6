import { callerName, callerNameOfKey } from "../../catalog/caller.ts";
import type { Approval, WaitingCall } from "../../catalog/guard/approvals-file.ts";
import { countText } from "../../core/text/count-text.ts";
import type { Column } from "../../hub/presentation/presentation.ts";
import type { ConsentGrant } from "../../sources/machine/consent.ts";
import { type CommandGroup, defineCommand } from "../command.ts";
import { localTime } from "../output/style.ts";

const list = defineCommand({
  name: "list",
  summary: "list the calls that wait for approval or were refused, and the remembered answers",
  async run(context) {
    const { renderTable } = await import("../output/table.ts");
    const { openFolderControl } = await import("../../hub/control/folder-control.ts");
    await using opened = await openFolderControl(context);
    const { listConsent } = await import("../../hub/node/node-consent.ts");
    const { approvals: given, waiting, refused, changed } = await opened.control.approvals.list();
    const consents = await listConsent(context);
    const parts = [
      given.length > 0 && renderTable(given, answerColumns, context),
      consents.length > 0 && `Tools of this computer:\n${renderTable(consents, consentColumns, context)}`,
      waiting.length > 0 &&
        `Waiting for approval:\n${renderTable(waiting, [...callColumns, waitsColumn, argumentsColumn], context)}`,
      refused.length > 0 &&
        `Refused, because no one answered:\n${renderTable(refused, [...callColumns, refusedColumn, argumentsColumn], context)}`,
      changed.length > 0 && `Changed definitions:\n${changed.map(({ name }) => `  ${name}`).join("\n")}`,
      waiting.length + refused.length > 0 && adviceOf(refused),
      ...grantLines([...waiting, ...refused]),
      changed.length > 0 && "Run `clawport approve <tool>` to see a change and accept it; with `--deny`, to reject it.",
      consents.length > 0 && "Run `clawport node forget <tool>` to be asked again about a tool of this computer.",
    ];
    const text = parts.filter((part) => part !== false).join("\n\n");
    context.answer(
      { approvals: given, consents, waiting, refused, changed },
      text || "No remembered answers, and nothing waits for approval.",
    );
  },
});

const forget = defineCommand({
  name: "forget",
  summary: "forget the remembered answers for a tool or a caller, so that the guard asks again",
  args: [{ name: "tool", description: "the tool; or the caller, for an answer about every tool", completes: "tools" }],
  async run(context) {
    const { openFolderControl } = await import("../../hub/control/folder-control.ts");
    await using opened = await openFolderControl(context);
    const [name = ""] = context.args;
    const forgotten = await opened.control.approvals.forget({ tool: name });
    context.answer({ forgotten }, `Forgot ${countText(forgotten.length, "answer")} for ${name}.`);
  },
});

export const command: CommandGroup = {
  name: "approvals",
  summary: "show the calls that wait for approval; show or forget the remembered answers",
  commands: [list, forget],
  fallback: "list",
  examples: ["clawport approvals", "clawport approvals forget files__delete"],
};

function adviceOf(refused: readonly WaitingCall[]): string {
  const advice = "Run `clawport approve <id>` to see a call in full and allow it once.";
  return refused.length === 0 ? advice : `${advice} A refused call is allowed when it is made again.`;
}

/** How tools that need consent are allowed for good. */
function grantLines(calls: readonly WaitingCall[]): readonly string[] {
  const commands = calls.flatMap(({ name, grantCommand }) =>
    grantCommand === undefined ? [] : [[grantCommand, name]],
  );
  return [...new Map(commands as [string, string][])].map(
    ([command, name]) => `Run \`${command}\` to allow ${name} from now on; with \`--session\`, until the node stops.`,
  );
}

const answerColumns: readonly Column<Approval>[] = [
  { title: "ANSWER", text: ({ choice }) => choice },
  { title: "TOOL", text: ({ name }) => name ?? "every tool" },
  { title: "CALLER", text: ({ caller }) => (caller === undefined ? "every caller" : callerName(caller)) },
  { title: "SINCE", text: ({ at }) => localTime(at) },
];

const consentColumns: readonly Column<ConsentGrant>[] = [
  { title: "ANSWER", text: ({ choice }) => choice },
  { title: "TOOL", text: ({ capability }) => capability },
  { title: "CALLER", text: ({ caller }) => (caller === undefined ? "every caller" : callerNameOfKey(caller)) },
  { title: "UNTIL", text: ({ session }) => (session === undefined ? "" : "the node stops") },
  { title: "SINCE", text: ({ at }) => localTime(at) },
];

const callColumns: readonly Column<WaitingCall>[] = [
  { title: "ID", text: ({ id }) => id },
  { title: "TOOL", text: ({ name }) => name },
  { title: "CALLER", text: ({ caller }) => callerName(caller) },
];

const waitsColumn: Column<WaitingCall> = {
  title: "STATUS",
  text: ({ at, openUntil = at }) => `waits until ${localTime(openUntil)}`,
};

const refusedColumn: Column<WaitingCall> = { title: "STATUS", text: ({ at }) => `refused at ${localTime(at)}` };

const argumentsColumn: Column<WaitingCall> = { title: "ARGUMENTS", text: ({ arguments: shown }) => shown };
