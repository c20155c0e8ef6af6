import { homedir } from "node:os";
import { fileURLToPath } from "node:url";
import type { World } from "./world.ts";

/** The real outside: this process, its streams and its signals. */
export function processWorld(): World {
  let stopping: AbortController | undefined;
  const stop = (exitCode: number): void => {
    if (stopping === undefined || stopping.signal.aborted) process.exit(exitCode);
    stopping.abort();
  };
  // Whoever read our output has seen enough (`| head`): that is no failure.
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
    // Merely looking at it opens it, and that takes longer than most commands.
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

const lookEveryMs = 1000;

/** npm passes a signal to the shell it runs us in, and some shells don't pass it on: all we see is that they are gone. */
function watchParent(onGone: () => void): void {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    onGone();
  }, lookEveryMs).unref();
}
