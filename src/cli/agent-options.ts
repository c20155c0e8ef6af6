import { Fault } from "../core/fault.ts";
import { quoted } from "../core/text/peer-text.ts";
import type { AgentFlags } from "../hub/engine/open-agent.ts";
import type { OptionTable } from "./options.ts";

/** Which agent to send orders to. */
export const agentOptions = {
  gateway: {
    type: "string",
    value: "<url>",
    description: "address of OpenClaw's gateway (default: from OpenClaw's configuration)",
  },
  token: { type: "string", value: "<token>", description: "the gateway's token; prefer OPENCLAW_GATEWAY_TOKEN" },
  password: {
    type: "string",
    value: "<password>",
    description: "the gateway's password; prefer OPENCLAW_GATEWAY_PASSWORD",
  },
  agent: {
    type: "string",
    value: "<id>",
    description: "the OpenClaw agent that takes the orders (default: main)",
  },
} as const satisfies OptionTable;

/** Checked at the start, so that a typo does not show up only with the first order. */
export function checkAgentFlags({ gateway }: AgentFlags): void {
  if (gateway === undefined || /^wss?:$/.test(URL.parse(gateway)?.protocol ?? "")) return;
  throw new Fault(
    "usage",
    `--gateway must start with ws:// or wss://, such as ws://127.0.0.1:18789, not ${quoted(gateway)}`,
  );
}
