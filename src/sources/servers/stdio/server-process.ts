import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { Fault } from "../../../core/fault.ts";
import { childEnv } from "../../../core/process/child-env.ts";
import { killRun, ownerEnv } from "../../../core/process/process-tree.ts";
import type { Tail } from "./tail.ts";

export interface ServerCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string | undefined;
}

export interface ProcessExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A running stdio server and everything it started. */
export interface ServerProcess {
  readonly pid: number;
  readonly stdin: ChildProcessWithoutNullStreams["stdin"];
  readonly stdout: ChildProcessWithoutNullStreams["stdout"];
  readonly exited: Promise<ProcessExit>;
  /** Resolves when all it wrote to its stdout has been read. */
  readonly drained: Promise<void>;
  /** Kills whatever it started, once it has ended itself. */
  killRest(): void;
  /** Asks it to go, then makes it go; nothing it started is left when this resolves. */
  stop(): Promise<void>;
}

export interface ServerProcessOptions {
  /** What the command may see of our own environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Takes what the server says on stderr. */
  readonly stderr: Tail;
  /** How long each of the gentler ways to end it may take. */
  readonly patienceMs?: number | undefined;
}

export async function startServerProcess(server: ServerCommand, options: ServerProcessOptions): Promise<ServerProcess> {
  const { stderr, patienceMs = 2000 } = options;
  const run = randomUUID();
  const child = spawn(server.command, [...server.args], {
    cwd: server.cwd,
    env: { ...childEnv(options.env), ...server.env, ...ownerEnv(run) },
    stdio: ["pipe", "pipe", "pipe"],
    // A process group of its own: a signal to it reaches what the server started too.
    detached: process.platform !== "win32",
    windowsHide: true,
  });
  // A server that closes its input early must not take us along.
  child.stdin.on("error", () => {});
  child.stderr.on("data", (chunk: Buffer) => stderr.push(chunk));
  const exited = new Promise<ProcessExit>((resolve) => child.once("exit", (code, signal) => resolve({ code, signal })));
  const drained = new Promise<void>((resolve) => child.stdout.once("close", resolve));
  await new Promise<void>((resolve, reject) => {
    child.once("spawn", resolve);
    child.on("error", (cause: NodeJS.ErrnoException) => reject(startFault(server, cause)));
  });
  const pid = child.pid!;
  const killRest = () => {
    signalGroup(pid, "SIGKILL");
    killRun(run);
  };

  return {
    pid,
    stdin: child.stdin,
    stdout: child.stdout,
    exited,
    drained,
    killRest,
    async stop() {
      child.stdin.end();
      // Most go at once. Those that don't look at their input any more would only be waited for in vain.
      if (!(await exitsWithin(exited, Math.min(patienceMs, 500)))) {
        signalGroup(pid, "SIGTERM");
        if (!(await exitsWithin(exited, patienceMs))) signalGroup(pid, "SIGKILL");
      }
      // Also after a willing end: what it started may still be there.
      signalGroup(pid, "SIGKILL");
      await killUntilGone(run);
      await exited;
      child.stdout.destroy();
      child.stderr.destroy();
    },
  };
}

/** A process that was killed is there until the system gets to it. One that can't die at all is not waited for. */
async function killUntilGone(run: string): Promise<void> {
  for (let round = 0; killRun(run) > 0 && round < 200; round++) await sleep(5);
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    if (process.platform === "win32") spawn("taskkill", ["/pid", String(pid), "/T", "/F"], { stdio: "ignore" });
    else process.kill(-pid, signal);
  } catch {
    // Nobody is left in the group.
  }
}

async function exitsWithin(exited: Promise<ProcessExit>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, ms, false);
  });
  const inTime = await Promise.race([exited.then(() => true), late]);
  clearTimeout(timer);
  return inTime;
}

function startFault(server: ServerCommand, cause: NodeJS.ErrnoException): Fault {
  if (server.cwd !== undefined && !existsSync(server.cwd)) {
    return new Fault("unavailable", `The folder ${JSON.stringify(server.cwd)} the server should run in is not there.`, {
      cause,
    });
  }
  const command = JSON.stringify(server.command);
  const what =
    cause.code === "ENOENT"
      ? `The command ${command} was not found. Install it, or give its whole path.`
      : `The command ${command} could not be started (${cause.code ?? cause.message}).`;
  return new Fault("unavailable", what, { cause });
}
