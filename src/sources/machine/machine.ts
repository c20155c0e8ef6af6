import type { Env } from "../../core/process/child-env.ts";

/** What the capabilities know about this computer and the program they run in. */
export interface Machine {
  readonly env: Env;
  readonly platform: string;
  readonly homedir: string;
  readonly version: string;
}
