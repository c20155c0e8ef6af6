import type { Env } from "./child-env.ts";

/** A place to print to. */
interface OutputStream {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** Everything a command knows of the outside; `main.ts` supplies the real one, tests their own. */
export interface World {
  readonly env: Env;
  readonly cwd: string;
  readonly homedir: string;
  readonly platform: string;
  /** How this program was started: Node and the file, for those who start it again. */
  readonly program: readonly string[];
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  /** Aborts when the person wants the command to end. Asking for it takes over Ctrl-C: the second one ends at once. */
  stopSignal(): AbortSignal;
}

/** Whether a person sits there who sees a question and can type an answer. */
export function isInteractive(world: Pick<World, "stdin" | "stderr">): boolean {
  return world.stderr.isTTY === true && world.stdin.isTTY === true;
}
