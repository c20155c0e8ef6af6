import { Fault } from "../core/fault.ts";
import { quoted } from "../core/peer-text.ts";
import type { OptionTable } from "./options.ts";

/** Which agent orders go to; for every command that takes some. */
export const agentOptions = {
  gateway: {
    type: "string",
    value: "<url>",
    description: "OpenClaw's gateway; found by its configuration unless given",
  },
  token: { type: "string", value: "<token>", description: "the gateway's token; better in OPENCLAW_GATEWAY_TOKEN" },
  password: { type: "string", value: "<password>", description: "its password; better in OPENCLAW_GATEWAY_PASSWORD" },
  agent: {
    type: "string",
    value: "<id>",
    description: "the agent of OpenClaw that takes the orders; main unless given",
  },
} as const satisfies OptionTable;

/** At the start: whoever mistyped it must not learn so with the first order. */
export function checkAgentFlags({ gateway }: AgentFlags): void {
  if (gateway === undefined || /^wss?:$/.test(URL.parse(gateway)?.protocol ?? "")) return;
  throw new Fault(
    "usage",
    `--gateway takes an address that begins with ws:// or wss://, such as ws://127.0.0.1:18789, not ${quoted(gateway)}; see --help`,
  );
}

export interface AgentFlags {
  readonly gateway?: string;
  readonly token?: string;
  readonly password?: string;
  readonly agent?: string;
}
