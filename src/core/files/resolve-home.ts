import { join, resolve } from "node:path";
import type { Env } from "../process/child-env.ts";

export interface HomeChoice {
  /** The value of `--home`. */
  readonly flag?: string | undefined;
  readonly env: Env;
  readonly homedir: string;
}

/** Where the state folder is, whether it exists yet or not. */
export function resolveHome({ flag, env, homedir }: HomeChoice): string {
  const own = flag || nonBlank(env["CLAWPORT_HOME"]);
  return own ? expandPath(own, homedir) : join(openclawStateFolder(env, homedir), "mcp");
}

/**
 * Where OpenClaw's own programs keep their state: they take `OPENCLAW_HOME` for the home folder, also where a path begins
 * with `~`.
 */
export function openclawStateFolder(env: Env, homedir: string): string {
  const home = expandPath(nonBlank(env["OPENCLAW_HOME"]) ?? homedir, homedir);
  return expandPath(nonBlank(env["OPENCLAW_STATE_DIR"]) ?? join(home, ".openclaw"), home);
}

/** OpenClaw ignores variables that are empty or blank. */
export function nonBlank(value: string | undefined): string | undefined {
  return value?.trim() || undefined;
}

function expandPath(path: string, home: string): string {
  // A function, since `$` has a meaning in the text of a replacement.
  return resolve(path.replace(/^~(?=$|[/\\])/, () => home));
}
