import { type ChildProcessByStdio, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import type { Readable, Writable } from "node:stream";
import { settledWithin, sleep } from "../wait.ts";
import { childEnv, type Env } from "./child-env.ts";
import { formatMark, judgeMark, ownMark, parseMark } from "./process-mark.ts";

/** A program to start. No shell reads the command line. */
export interface ProgramCommand {
  readonly command: string;
  readonly args: readonly string[];
  /** Set for the program besides what it inherits. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string | undefined;
}

export interface ProcessExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A running program and everything it has started. */
export interface ProcessTree {
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly exited: Promise<ProcessExit>;
  /** Resolves when everything the program wrote to its stdout has been read. */
  readonly drained: Promise<void>;
  /** Sends SIGTERM to the process group. On Windows, which has no such signal, it ends the tree at once. */
  terminate(): void;
  /** Kills the whole tree without waiting. Call it when the program has exited, to end what it left behind. */
  killRest(): void;
  /** Kills the whole tree. Nothing of it runs any more when this resolves. */
  kill(): Promise<void>;
}

/** How long a killed process may take to disappear. One that hangs in the kernel can't be killed, so we stop waiting. */
const killWaitMs = 5000;

/**
 * Starts a program whose descendants can all be found again, even those that left its process group. Of our environment
 * (`env`) it sees only what any program needs. Rejects with the platform's error if the program can't be started.
 */
export async function startProcessTree(program: ProgramCommand, env: Env): Promise<ProcessTree> {
  const run = randomUUID();
  const child: ChildProcessByStdio<Writable, Readable, Readable> = spawn(program.command, [...program.args], {
    cwd: program.cwd,
    env: { ...childEnv(env), ...program.env, ...ownerEnv(run) },
    stdio: ["pipe", "pipe", "pipe"],
    // A process group of its own: a signal to it also reaches what the program started.
    detached: process.platform !== "win32",
    windowsHide: true,
  });
  const { stdin, stdout, stderr } = child;
  // A program that closes its input early must not take us along.
  stdin.on("error", () => {});
  const exited = new Promise<ProcessExit>((resolve) => child.once("exit", (code, signal) => resolve({ code, signal })));
  const drained = new Promise<void>((resolve) => stdout.once("close", resolve));
  await new Promise<void>((resolve, reject) => {
    child.once("spawn", resolve);
    child.on("error", reject);
  });
  const pid = child.pid!;
  const killRest = (): void => {
    signalGroup(pid, "SIGKILL");
    killRun(run);
  };

  return {
    pid,
    stdin,
    stdout,
    stderr,
    exited,
    drained,
    terminate: () => signalGroup(pid, "SIGTERM"),
    killRest,
    async kill() {
      signalGroup(pid, "SIGKILL");
      await settledWithin(Promise.all([exited, killUntilGone(run)]), killWaitMs);
      stdout.destroy();
      stderr.destroy();
    },
  };
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    if (process.platform !== "win32") process.kill(-pid, signal);
    else spawn("taskkill", ["/pid", String(pid), "/T", "/F"], { stdio: "ignore" }).on("error", () => {});
  } catch {
    // The group is empty.
  }
}

/** A killed process is listed until the system has removed it. */
async function killUntilGone(run: string): Promise<void> {
  for (let round = 0; killRun(run) > 0 && round < 200; round++) await sleep(5);
}

/**
 * Every process we start carries our mark in its environment, and passes it on to whatever it starts. A process group
 * alone is not enough: `setsid` leaves it, but keeps the environment.
 */
const ownerVariable = "CLAWPORT_OWNER";
const runVariable = "CLAWPORT_SERVER_RUN";

function ownerEnv(run: string): Record<string, string> {
  return { [ownerVariable]: formatMark(ownMark("/proc")), [runVariable]: run };
}

/** Kills everything left of one run, and what that left behind itself: the program may be a hub with servers of its own. */
function killRun(run: string): number {
  return killWhere((env) => env.get(runVariable) === run || isOrphan(env));
}

/** Kills what earlier processes of ours left behind because they died too suddenly to do it. Returns how many. */
export function killOrphans(): number {
  return killWhere(isOrphan);
}

function isOrphan(env: ReadonlyMap<string, string>): boolean {
  const owner = parseMark(env.get(ownerVariable) ?? "");
  return owner !== undefined && judgeMark(owner, ownMark("/proc"), "/proc") === "dead";
}

/** A process may start another one while we look, and its death may turn others into orphans. */
const maxSweeps = 10;

/** Finds nothing on systems without `/proc`; there the process group has to do. */
function killWhere(isMeant: (env: ReadonlyMap<string, string>) => boolean): number {
  const killed = new Set<number>();
  for (let sweep = 0; sweep < maxSweeps; sweep++) {
    const found = listPids().filter((pid) => pid !== process.pid && !killed.has(pid) && isMeant(ownVariables(pid)));
    if (found.length === 0) break;
    for (const pid of found) {
      killed.add(pid);
      try {
        process.kill(pid, "SIGKILL");
      } catch {
        // It has just ended, or belongs to another user.
      }
    }
  }
  return killed.size;
}

function listPids(): number[] {
  try {
    return readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []));
  } catch {
    return [];
  }
}

/** The `CLAWPORT_…` variables of a process. */
function ownVariables(pid: number): ReadonlyMap<string, string> {
  const env = new Map<string, string>();
  try {
    for (const entry of readFileSync(`/proc/${pid}/environ`, "latin1").split("\0")) {
      if (entry.startsWith("CLAWPORT_"))
        env.set(entry.slice(0, entry.indexOf("=")), entry.slice(entry.indexOf("=") + 1));
    }
  } catch {
    // Another user's process, or one that has just ended.
  }
  return env;
}
