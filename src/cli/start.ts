import { homedir } from "node:os";
import { fileURLToPath } from "node:url";
import { checkNode } from "../core/process/check-node.ts";
import type { World } from "../core/process/world.ts";
import { runCli } from "./run-cli.ts";

/**
 * Runs a command line in this process and returns its exit code. It checks the Node version first: on an old Node,
 * commands would fail later with messages that don't help.
 */
export async function start(
  argv: readonly string[],
  world = processWorld(),
  nodeVersion = process.versions.node,
): Promise<number> {
  const [node] = checkNode(nodeVersion);
  if (node?.level !== "fail") return runCli(argv, world);
  world.stderr.write(`clawport: ${node.what}. Fix: ${node.fix}\n`);
  return 69;
}

/** This process, its streams and its signals. */
function processWorld(): World {
  let stopping: AbortController | undefined;
  const stop = (exitCode: number): void => {
    if (stopping === undefined || stopping.signal.aborted) process.exit(exitCode);
    stopping.abort();
  };
  // The reader of our output has seen enough (`| head`), which is not a failure.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    stop(0);
  });
  return {
    env: process.env,
    cwd: process.cwd(),
    homedir: homedir(),
    platform: process.platform,
    program: [
      process.execPath,
      fileURLToPath(new URL(import.meta.url.endsWith(".ts") ? "main.ts" : "main.js", import.meta.url)),
    ],
    // A getter, since reading process.stdin opens it, which takes longer than most commands.
    get stdin() {
      return process.stdin;
    },
    stdout: process.stdout,
    stderr: process.stderr,
    stopSignal() {
      if (stopping === undefined) {
        stopping = new AbortController();
        process.on("SIGINT", () => stop(130));
        process.on("SIGTERM", () => stop(143));
        process.on("SIGHUP", () => stop(129));
        if (process.env.npm_lifecycle_event !== undefined) watchParent(() => stop(143));
      }
      return stopping.signal;
    },
  };
}

const parentCheckMs = 1000;

/** npm signals the shell it runs us in, and some shells don't pass the signal on: all we can see is that they are gone. */
function watchParent(onGone: () => void): void {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    onGone();
  }, parentCheckMs).unref();
}
