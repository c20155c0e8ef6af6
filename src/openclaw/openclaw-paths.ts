import { join } from "node:path";
import type { Env } from "../core/process/child-env.ts";

/** Where OpenClaw keeps its state and its configuration on this machine. */
export interface OpenClawPaths {
  readonly stateFolder: string;
  readonly config: string;
}

/** Makes the same choice as OpenClaw's own programs. */
export function openclawPaths(env: Env, homedir: string): OpenClawPaths {
  const stateFolder =
    nonBlank(env["OPENCLAW_STATE_DIR"]) ?? join(nonBlank(env["OPENCLAW_HOME"]) ?? homedir, ".openclaw");
  return { stateFolder, config: nonBlank(env["OPENCLAW_CONFIG_PATH"]) ?? join(stateFolder, "openclaw.json") };
}

/** OpenClaw ignores variables that are empty or blank. */
export function nonBlank(value: string | undefined): string | undefined {
  return value?.trim() || undefined;
}
