import type { Env } from "../../core/process/child-env.ts";
import type { ActivityEntry } from "./activity.ts";

/** What the capabilities know about this computer and the program they run in. */
export interface Machine {
  /** Our own environment. Programs that capabilities start get only what any program needs. */
  readonly env: Env;
  readonly platform: string;
  readonly homedir: string;
  readonly version: string;
  /** Newest first. */
  activity(): readonly ActivityEntry[];
  /** Where MCP clients reach this computer. */
  mcp(): { readonly listening: boolean; readonly url?: string };
  /** How the connection to the OpenClaw gateway is doing. */
  gateway(): GatewayStatus;
}

export interface GatewayStatus {
  /** `off` without a gateway. */
  readonly state: string;
  readonly [detail: string]: unknown;
}
