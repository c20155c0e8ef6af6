import { Fault } from "../../core/fault.ts";
import type { MachineCapability, MachineState } from "../../hub/control/settings/machine-state.ts";
import type { Column } from "../../hub/presentation/presentation.ts";
import type { CommandContext } from "../command-context.ts";
import { defineCommand } from "../command.ts";

const switchValues = ["on", "off"] as const;

export const nodeSettings = defineCommand({
  name: "settings",
  summary: "show or change the switches of this computer, and what needs your consent",
  options: {
    offer: {
      type: "string",
      value: "<on|off>",
      values: switchValues,
      description: "whether `clawport up` offers the tools of this computer; `clawport node` always does",
    },
    mcp: {
      type: "string",
      value: "<on|off>",
      values: switchValues,
      description: "whether `clawport node` serves MCP clients; `clawport up` always does",
    },
    gateway: {
      type: "string",
      value: "<on|off>",
      values: switchValues,
      description: "whether it connects to an OpenClaw gateway as a node",
    },
  },
  examples: [
    "clawport node settings",
    "clawport node settings --offer on --gateway off",
    "clawport node settings --json",
  ],
  async run(context) {
    const { offer, mcp, gateway } = context.options;
    const isOn = (value: string | undefined): boolean | undefined => (value === undefined ? undefined : value === "on");
    const switches = { enabled: isOn(offer), enableMcpServer: isOn(mcp), enableNodeMode: isOn(gateway) };
    const isChange = Object.values(switches).some((value) => value !== undefined);
    await withMachine(context, (machine) => (isChange ? machine.set(switches) : machine.read()));
  },
});

const modes = ["off", "ask", "session", "always", "default"] as const;

export const nodeConsent = defineCommand({
  name: "consent",
  summary: "say whether a tool of this computer needs your consent",
  args: [
    { name: "tool", description: "its name, such as clipboard.read, or a category, such as clipboard" },
    { name: "mode", description: modes.join(", ") },
  ],
  examples: ["clawport node consent clipboard.read ask", "clawport node consent location default"],
  async run(context) {
    const [tool = "", given] = context.args;
    const mode = modes.find((each) => each === given);
    if (mode === undefined) throw new Fault("usage", `The mode must be one of ${modes.join(", ")}.`);
    await withMachine(context, (machine) => machine.consent({ capability: tool, mode }));
  },
});

type Machine = Awaited<ReturnType<typeof openMachine>>["machine"];

async function openMachine(context: CommandContext) {
  const { openEditingControl } = await import("../../hub/open-control.ts");
  const { control, close } = await openEditingControl(context, false, true);
  return { machine: control.machine, close };
}

async function withMachine(context: CommandContext, work: (machine: Machine) => Promise<MachineState>): Promise<void> {
  const { machine, close } = await openMachine(context);
  try {
    const state = await work(machine);
    const { renderTable } = await import("../output/table.ts");
    const table = state.capabilities.length === 0 ? "" : `\n\n${renderTable(state.capabilities, columns, context)}`;
    context.answer(state, `${headOf(state)}${table}`);
  } finally {
    await close();
  }
}

const columns: readonly Column<MachineCapability>[] = [
  { title: "TOOL", text: ({ name }) => name },
  { title: "CONSENT", text: ({ consent }) => consent },
  { title: "UNAVAILABLE", text: ({ unavailable }) => unavailable?.reason ?? "" },
];

function headOf({ host, settings, tools, status, endpoint, tokenPath, needsRestart, gateway }: MachineState): string {
  const word = (on: boolean): string => (on ? "on" : "off");
  const { offered, afterRestart } = tools;
  const after = offered === afterRestart ? "" : `, ${word(afterRestart)} after ${restartWords[host]}`;
  return [
    `Tools     ${word(offered)}${after}`,
    `MCP       ${host === "hub" ? "" : `${word(settings.enableMcpServer)}: `}${status}, ${endpoint}`,
    `Gateway   ${word(settings.enableNodeMode)}${gateway === undefined ? "" : `: ${gateway.state}, ${gateway.address}`}`,
    `Token     ${tokenPath}`,
    ...(needsRestart
      ? ["The change of the MCP server takes effect after a restart: `clawport stop`, then `clawport node`."]
      : []),
  ].join("\n");
}

const restartWords: Readonly<Record<MachineState["host"], string>> = {
  hub: "a restart",
  node: "a restart",
  none: "`clawport up`",
};
