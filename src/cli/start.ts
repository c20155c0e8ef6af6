import { processWorld } from "./process-world.ts";
import { runCli } from "./run-cli.ts";

/** Runs a command line in this process, and returns its exit code. */
export function start(argv: readonly string[]): Promise<number> {
  return runCli(argv, processWorld());
}
