import { checkNode } from "./doctor/check-node.ts";
import { processWorld } from "./process-world.ts";
import { runCli } from "./run-cli.ts";

/**
 * Runs a command line in this process, and returns its exit code. A Node that is too old is told of first: anything else
 * would fail somewhere on the way, with words that help nobody.
 */
export async function start(
  argv: readonly string[],
  world = processWorld(),
  nodeVersion = process.versions.node,
): Promise<number> {
  const [node] = checkNode(nodeVersion);
  if (node?.level !== "fail") return runCli(argv, world);
  world.stderr.write(`clawport: ${node.what}. Get one with: ${node.fix}\n`);
  return 69;
}
