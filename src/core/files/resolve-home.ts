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
  const expand = (path: string): string => resolve(path.replace(/^~(?=$|[/\\])/, homedir));
  if (flag) return expand(flag);
  if (env["CLAWPORT_HOME"]) return expand(env["CLAWPORT_HOME"]);
  if (env["OPENCLAW_STATE_DIR"]) return join(expand(env["OPENCLAW_STATE_DIR"]), "mcp");
  return join(homedir, ".openclaw", "mcp");
}
