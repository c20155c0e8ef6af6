import type { Approval, WaitingCall } from "../../catalog/guard/approvals.ts";
import { type CommandGroup, defineCommand } from "../command.ts";
import { localTime } from "../output/style.ts";
import type { Column } from "../output/table.ts";

const list = defineCommand({
  name: "list",
  summary: "list the remembered answers, and the calls that wait for approval",
  async run(context) {
    const { renderTable } = await import("../output/table.ts");
    const { openStateControl } = await import("../../hub/control/open-state-control.ts");
    await using opened = await openStateControl(context);
    const { approvals: given, waiting, changed: changes } = await opened.control.approvals.list();
    const changed = changes.map(({ name, source }) => ({ name, source }));
    const parts = [
      given.length > 0 && renderTable(given, answerColumns, context),
      waiting.length > 0 && `Waiting for approval:\n${renderTable(waiting, waitingColumns, context)}`,
      changed.length > 0 && `Changed since first use:\n${changed.map(({ name }) => `  ${name}`).join("\n")}`,
      waiting.length + changed.length > 0 && "Run `clawport approve <tool>` to allow one.",
    ];
    const text = parts.filter((part) => part !== false).join("\n\n");
    context.answer(
      { approvals: given, waiting, changed },
      text || "No remembered answers, and nothing waits for approval.",
    );
  },
});

const forget = defineCommand({
  name: "forget",
  summary: "forget the answers for a tool, so that the guard asks again",
  args: [{ name: "tool", description: "its name, as `clawport tools` shows it" }],
  async run(context) {
    const { openStateControl } = await import("../../hub/control/open-state-control.ts");
    await using opened = await openStateControl(context);
    const [name = ""] = context.args;
    const forgotten = await opened.control.approvals.forget(name);
    context.answer({ forgotten }, `Forgot ${forgotten.length} answer${forgotten.length === 1 ? "" : "s"} for ${name}.`);
  },
});

export const command: CommandGroup = {
  name: "approvals",
  summary: "show or forget the remembered answers to the guard's questions",
  commands: [list, forget],
  fallback: "list",
  examples: ["clawport approvals", "clawport approvals forget files__delete"],
};

const callerText = ({ caller }: WaitingCall | Approval): string => Object.values(caller).join("/");

const answerColumns: readonly Column<Approval>[] = [
  { title: "ANSWER", text: ({ choice }) => choice },
  { title: "TOOL", text: ({ name }) => name },
  { title: "CALLER", text: callerText },
  { title: "SINCE", text: ({ at }) => localTime(at) },
];

const waitingColumns: readonly Column<WaitingCall>[] = [
  { title: "TOOL", text: ({ name }) => name },
  { title: "CALLER", text: callerText },
  { title: "BECAUSE", text: ({ reason }) => reason },
];
