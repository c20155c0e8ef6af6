import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Readable, Writable } from "node:stream";

/** A Node process under measurement: always the same binary that runs the benchmark. */
export interface Child extends AsyncDisposable {
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** Resolves with what ended it and the end of what it wrote to stderr. */
  readonly exited: Promise<string>;
  readonly hasExited: boolean;
}

const running = new Map<number, () => void>();
/** The home of all children, gone when the run ends. */
export const home = mkdtempSync(path.join(tmpdir(), "clawport-bench-"));

process.on("exit", () => {
  for (const kill of running.values()) kill();
  rmSync(home, { recursive: true, force: true });
});
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(1));

/** Children see a home of their own, kept for the whole run, and nothing of the person's environment but the path. */
export function startNode(args: readonly string[]): Child {
  const env = { PATH: process.env.PATH, HOME: home, CLAWPORT_HOME: path.join(home, "state"), NO_COLOR: "1" };
  const child = spawn(process.execPath, args, { env, cwd: home, stdio: ["pipe", "pipe", "pipe"] });
  const { pid } = child;
  if (pid === undefined) throw new Error(`could not start ${args.join(" ")}`);

  let errors = "";
  let gone = false;
  child.stderr.on("data", (chunk: Buffer) => (errors = (errors + chunk.toString()).slice(-2000)));
  child.stdin.on("error", () => {});
  running.set(pid, () => child.kill("SIGKILL"));
  const exited = new Promise<string>((resolve) => {
    child.on("exit", (code, signal) => {
      gone = true;
      running.delete(pid);
      resolve(`${signal ?? `exit code ${code}`}${errors === "" ? "" : `: ${errors.trim()}`}`);
    });
  });
  return {
    pid,
    stdin: child.stdin,
    stdout: child.stdout,
    exited,
    get hasExited() {
      return gone;
    },
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await exited;
    },
  };
}

/**
 * Uses a program once, as a person would: Node keeps compiled code only when a process ends by itself, and those that are
 * measured are killed. Without this each of their starts would be the first one after a build.
 */
export async function useOnce(start: () => Child, use: (child: Child) => Promise<unknown>): Promise<void> {
  await using child = start();
  await use(child);
  child.stdin.end();
  if (!child.hasExited) process.kill(child.pid, "SIGTERM");
  const how = await child.exited;
  if (!how.startsWith("exit code 0")) throw new Error(how);
}

/** The first line a child writes; it is an error when it ends without one. */
export function firstLine(child: Child): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    child.stdout.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      if (text.includes("\n")) resolve(text.slice(0, text.indexOf("\n")));
    });
    void child.exited.then((how) => reject(new Error(how)));
  });
}
