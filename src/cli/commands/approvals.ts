import type { Approval, WaitingCall } from "../../catalog/guard/approvals.ts";
import type { CommandContext } from "../command-context.ts";
import { type CommandGroup, defineCommand } from "../command.ts";
import type { Column } from "../output/table.ts";

const list = defineCommand({
  name: "list",
  summary: "list the lasting answers, and what waits for one",
  async run(context) {
    const { renderTable } = await import("../output/table.ts");
    const { openPins } = await import("../../catalog/guard/pins.ts");
    const { home, approvals, hubFiles } = await openApprovalFiles(context);
    const { approvals: given, waiting } = await approvals.list();
    const pins = await openPins({ file: hubFiles.pins(home), log: context.log }).list();
    const changed = pins.filter((pin) => pin.offered !== undefined).map(({ name, source }) => ({ name, source }));
    const paper = { width: context.stdout.columns, paintTitle: context.style.bold };
    const parts = [
      given.length > 0 && renderTable(given, answerColumns, paper),
      waiting.length > 0 && `Waiting for a yes:\n${renderTable(waiting, waitingColumns, paper)}`,
      changed.length > 0 && `Changed since first use:\n${changed.map(({ name }) => `  ${name}`).join("\n")}`,
      waiting.length + changed.length > 0 && "Allow one with: clawport approve <tool>",
    ];
    const text = parts.filter((part) => part !== false).join("\n\n");
    context.answer({ approvals: given, waiting, changed }, text || "no answers yet, and nothing waits for one");
  },
});

const forget = defineCommand({
  name: "forget",
  summary: "forget the answer for a tool, so that it is asked again",
  args: [{ name: "tool", description: "its name in the catalog" }],
  async run(context) {
    const { approvals } = await openApprovalFiles(context);
    const [name = ""] = context.args;
    const forgotten = await approvals.forget(name);
    context.answer(
      { forgotten },
      `forgotten: ${forgotten.length} answer${forgotten.length === 1 ? "" : "s"} for ${name}`,
    );
  },
});

export const command: CommandGroup = {
  name: "approvals",
  summary: "show and forget remembered answers to the guard's questions",
  commands: [list, forget],
  fallback: "list",
  examples: ["clawport approvals", "clawport approvals forget files__delete"],
};

async function openApprovalFiles(context: CommandContext) {
  const { openApprovals } = await import("../../catalog/guard/approvals.ts");
  const { openHomeOf } = await import("../open-home.ts");
  const { hubFiles } = await import("../../hub/hub-files.ts");
  const home = await openHomeOf(context);
  return { home, hubFiles, approvals: openApprovals({ file: hubFiles.approvals(home), log: context.log }) };
}

const callerText = ({ caller }: WaitingCall | Approval): string => Object.values(caller).join("/");

const answerColumns: readonly Column<Approval>[] = [
  { title: "ANSWER", text: ({ choice }) => choice },
  { title: "TOOL", text: ({ name }) => name },
  { title: "CALLER", text: callerText },
  { title: "SINCE", text: ({ at }) => at.slice(0, 16).replace("T", " ") },
];

const waitingColumns: readonly Column<WaitingCall>[] = [
  { title: "TOOL", text: ({ name }) => name },
  { title: "CALLER", text: callerText },
  { title: "BECAUSE", text: ({ reason }) => reason },
];
