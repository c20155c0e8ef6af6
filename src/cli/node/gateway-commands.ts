import type { NodeCommandStatus } from "../../hub/engine/node-command-status.ts";
import type { NodeStatus } from "../../hub/node/pair-node.ts";
import type { Column } from "../../hub/presentation/presentation.ts";
import type { GatewayFlags } from "../../openclaw/locate-gateway.ts";
import type { CommandContext } from "../command-context.ts";
import { defineCommand } from "../command.ts";

const gatewayOptions = {
  gateway: {
    type: "string",
    value: "<url>",
    description: "the gateway (default: `machine.gatewayUrl`, else the one that OpenClaw's own programs use)",
  },
  token: { type: "string", value: "<token>", description: "its token; needed once" },
  password: { type: "string", value: "<password>", description: "its password, if it has one instead" },
} as const;

export const pairCommand = defineCommand({
  name: "pair",
  summary: "introduce this computer to an OpenClaw gateway as a node, and wait until its owner has approved it",
  options: {
    ...gatewayOptions,
    timeout: {
      type: "number",
      value: "<s>",
      range: [1, 86_400],
      description: "how long to wait for the approval (default: 600)",
    },
  },
  examples: ["clawport node pair", "clawport node pair --gateway wss://gateway.example --token …"],
  async run(context) {
    const { pairNode: pair } = await import("../../hub/node/pair-node.ts");
    const { timeout = 600 } = context.options;
    const tell = (line: string): void => context.say(line);
    const pairing = await pair(context, { flags: flagsOf(context.options), timeoutMs: timeout * 1000, tell });
    await showPairing(context, pairing);
    return pairing.seen?.approvalState === "approved" ? 0 : 1;
  },
});

export const nodeStatus = defineCommand({
  name: "status",
  summary: "show what an OpenClaw gateway lets this computer do: declared, allowed, approved, for each command",
  options: gatewayOptions,
  examples: ["clawport node status", "clawport node status --json"],
  async run(context) {
    const { readNodeStatus } = await import("../../hub/node/pair-node.ts");
    const pairing = await readNodeStatus(context, flagsOf(context.options));
    await showPairing(context, pairing);
    return pairing.seen?.connected === true && pairing.seen.commands.length > 0 ? 0 : 1;
  },
});

function flagsOf({ gateway, token, password }: GatewayFlags): GatewayFlags {
  return { gateway, token, password };
}

const columns: readonly Column<NodeCommandStatus>[] = [
  { title: "COMMAND", text: ({ command }) => command },
  { title: "DECLARED", text: ({ declared }) => answer(declared) },
  { title: "ALLOWED", text: ({ allowed }) => answer(allowed) },
  { title: "APPROVED", text: ({ approved }) => answer(approved) },
  { title: "NEXT", text: ({ next }) => next },
];

function answer(value: boolean | undefined): string {
  if (value === undefined) return "-";
  return value ? "yes" : "no";
}

async function showPairing(context: CommandContext, pairing: NodeStatus): Promise<void> {
  const { renderTable } = await import("../output/table.ts");
  const { recordingText } = await import("../../hub/presentation/hub-status.ts");
  const { recording } = pairing;
  const shown = recording === undefined ? [] : [`Recording ${recordingText(recording, Date.now())}`];
  const text = [...headOf(pairing), ...shown, "", renderTable(pairing.commands, columns, context)].join("\n");
  context.answer(pairing, text);
}

function headOf({ nodeId, gateway, seen, problem }: NodeStatus): readonly string[] {
  return [
    `Node      ${nodeId}`,
    `Gateway   ${gateway}`,
    ...(problem === undefined ? [`Status    ${stateOf(seen)}`] : [`Status    unknown: ${problem}`, ownerHint]),
  ];
}

const ownerHint = "          Where the gateway runs, `openclaw nodes pending` and `openclaw nodes describe` show it.";

function stateOf(seen: NodeStatus["seen"]): string {
  if (seen === undefined) return "the gateway does not know this computer; run `clawport node pair`";
  const approval = seen.approvalState.replaceAll("-", " ");
  return seen.connected ? `connected, ${approval}` : `not connected (run \`clawport node\`), ${approval}`;
}
