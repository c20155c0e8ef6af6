import type { Env } from "./child-env.ts";

/** A place to print to. */
interface OutputStream {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
}

/** Everything a command knows of the outside world. `main.ts` supplies the real one, tests their own. */
export interface World {
  readonly env: Env;
  readonly cwd: string;
  readonly homedir: string;
  readonly platform: string;
  /** How this program was started (Node and the file), to start it again. */
  readonly program: readonly string[];
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  /** Aborts when the user stops the command. The first use takes over Ctrl-C; a second Ctrl-C exits at once. */
  stopSignal(): AbortSignal;
}

/** Whether a user can see a question and type an answer. */
export function isInteractive(world: Pick<World, "stdin" | "stderr">): boolean {
  return world.stderr.isTTY === true && world.stdin.isTTY === true;
}
