import { join } from "node:path";
import { nonBlank, openclawStateFolder } from "../core/files/resolve-home.ts";
import type { Env } from "../core/process/child-env.ts";

/** Where OpenClaw keeps its state and its configuration on this machine. */
export interface OpenClawPaths {
  readonly stateFolder: string;
  readonly config: string;
}

/** Makes the same choice as OpenClaw's own programs. */
export function openclawPaths(env: Env, homedir: string): OpenClawPaths {
  const stateFolder = openclawStateFolder(env, homedir);
  return { stateFolder, config: nonBlank(env["OPENCLAW_CONFIG_PATH"]) ?? join(stateFolder, "openclaw.json") };
}
