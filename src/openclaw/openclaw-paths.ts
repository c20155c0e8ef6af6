import { join } from "node:path";
import type { Env } from "../core/config/substitute-env.ts";

/** Where OpenClaw keeps its things on this machine. */
export interface OpenClawPaths {
  readonly stateFolder: string;
  readonly config: string;
}

/** The same choice as OpenClaw's own programs make. A variable that is empty or blank counts for none. */
export function openclawPaths(env: Env, homedir: string): OpenClawPaths {
  const set = (name: string): string | undefined => env[name]?.trim() || undefined;
  const stateFolder = set("OPENCLAW_STATE_DIR") ?? join(set("OPENCLAW_HOME") ?? homedir, ".openclaw");
  return { stateFolder, config: set("OPENCLAW_CONFIG_PATH") ?? join(stateFolder, "openclaw.json") };
}
