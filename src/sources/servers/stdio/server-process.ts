import { existsSync } from "node:fs";
import { Fault } from "../../../core/fault.ts";
import type { Env } from "../../../core/process/child-env.ts";
import { type ProcessTree, type ProgramCommand, startProcessTree } from "../../../core/process/process-tree.ts";
import type { Tail } from "../../../core/process/tail.ts";
import { settledWithin } from "../../../core/wait.ts";

/** A running stdio server and everything it started. */
export interface ServerProcess extends Pick<
  ProcessTree,
  "pid" | "stdin" | "stdout" | "exited" | "drained" | "killRest"
> {
  /** Asks the server to exit, then forces it. Nothing it started is left when this resolves. */
  stop(): Promise<void>;
}

export interface ServerProcessOptions {
  /** Our own environment, of which the server sees only what any program needs. */
  readonly env: Env;
  /** Collects what the server writes to stderr. */
  readonly stderr: Tail;
  /** How long each of the gentler ways to end it may take. */
  readonly patienceMs?: number | undefined;
}

export async function startServerProcess(
  server: ProgramCommand,
  { env, stderr, patienceMs = 2000 }: ServerProcessOptions,
): Promise<ServerProcess> {
  const tree = await startProcessTree(server, env).catch((cause: NodeJS.ErrnoException) => {
    throw cause instanceof Fault ? cause : startFault(server, cause);
  });
  tree.stderr.on("data", (chunk: Buffer) => stderr.push(chunk));
  return {
    ...tree,
    async stop() {
      tree.endInput();
      // Most servers exit at once when their input ends.
      if (!(await settledWithin(tree.exited, Math.min(patienceMs, 500)))) {
        tree.terminate();
        await settledWithin(tree.exited, patienceMs);
      }
      // Also after a willing end: what the server started may still run.
      await tree.kill();
    },
  };
}

function startFault(server: ProgramCommand, cause: NodeJS.ErrnoException): Fault {
  if (server.cwd !== undefined && !existsSync(server.cwd)) {
    return new Fault("unavailable", `The server's folder ${JSON.stringify(server.cwd)} does not exist.`, {
      cause,
    });
  }
  const command = JSON.stringify(server.command);
  const what =
    cause.code === "ENOENT"
      ? `The command ${command} was not found. Install it, or use its full path.`
      : `The command ${command} could not be started (${cause.code ?? cause.message}).`;
  return new Fault("unavailable", what, { cause });
}
