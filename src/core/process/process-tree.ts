import { type ChildProcessByStdio, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { constants } from "node:os";
import type { Readable, Writable } from "node:stream";
import { codeOf } from "../fault.ts";
import { settledWithin } from "../wait.ts";
import { childEnv, type Env } from "./child-env.ts";
import { killRun, killRunUntilGone, markEnv } from "./marked-processes.ts";
import { watchNamespaceInit } from "./namespace-init.ts";
import { doubtNamespaceLauncher, type NamespaceProgram, namespaceWords } from "./pid-namespace.ts";
import { keepFromLauncher } from "./shell-variables.ts";

/** A program to start. No shell reads the command line. */
export interface ProgramCommand extends NamespaceProgram {
  readonly args: readonly string[];
  /** Set for the program besides what it inherits. */
  readonly env: Readonly<Record<string, string>>;
}

export interface ProcessExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A running program and everything it has started. */
export interface ProcessTree {
  pid(): number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly exited: Promise<ProcessExit>;
  /** Resolves when everything the program wrote to its stdout has been read. */
  readonly drained: Promise<void>;
  /** Closes stdin: most programs exit then. */
  endInput(): void;
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
 * Starts a program of which nothing is left when it has ended or was killed: in a PID namespace if possible, and marked in
 * any case. Of our environment (`env`) it sees only what any program needs. Rejects with the platform's error if the
 * program can't be started.
 */
export async function startProcessTree(program: ProgramCommand, env: Env): Promise<ProcessTree> {
  const run = randomUUID();
  const full = program.cage?.kind === "on" ? program.cage : undefined;
  const programEnv = { ...(full?.env ?? childEnv(env)), ...program.env, ...markEnv(run) };
  const line = full?.instead ?? [program.command, ...program.args];
  const wrapper = (await namespaceWords({ ...program, command: line[0] ?? "" }, programEnv, env)) ?? [];
  const isWrapped = wrapper.length > 0;
  const launched = isWrapped ? keepFromLauncher(programEnv) : { env: programEnv, words: [] };
  const [command = "", ...args] = [...wrapper, ...launched.words, ...line];
  const child = spawn(command, args, {
    // The folder of a cage is its own affair.
    cwd: full === undefined ? program.cwd : "/",
    env: launched.env,
    stdio: ["pipe", "pipe", "pipe", ...(full?.onOpen === undefined ? [] : (["pipe", "pipe"] as const))],
    // A process group of its own: a signal to it also reaches what the program started.
    detached: process.platform !== "win32",
    windowsHide: true,
  }) as ChildProcessByStdio<Writable, Readable, Readable>;
  const { stdin, stdout, stderr } = child;
  // A program that closes its input early must not take us along.
  stdin.on("error", () => {});
  const exited = new Promise<ProcessExit>((resolve) => {
    child.once("exit", (code, signal) => resolve(isWrapped ? exitInNamespace(code, signal) : { code, signal }));
  });
  const drained = new Promise<void>((resolve) => stdout.once("close", resolve));
  try {
    await new Promise<void>((resolve, reject) => {
      child.once("spawn", resolve);
      child.on("error", reject);
    });
  } catch (error) {
    if (!isWrapped || full !== undefined || codeOf(error) !== "ENOENT") throw error;
    // What makes the namespace was uninstalled, or the folder does not exist.
    void doubtNamespaceLauncher(env);
    return startProcessTree({ ...program, pidNamespace: "off" }, env);
  }
  if (isWrapped)
    void exited.then(({ code }) => (code === 0 || code === null ? undefined : doubtNamespaceLauncher(env)));
  const pid = child.pid!;
  const init = isWrapped ? watchNamespaceInit(pid) : undefined;
  const killAll = (): void => {
    const first = init?.pid();
    if (first !== undefined) signalProcess(first, "SIGKILL");
    signalGroup(pid, "SIGKILL");
  };
  if (full?.onOpen !== undefined) {
    const { openCage } = await import("./cage/open-cage.ts");
    await openCage(child, full).catch((error: unknown) => {
      killAll();
      throw error;
    });
  }
  const end = full?.onStart?.(killAll);
  if (end !== undefined) void exited.then(end);

  return {
    pid: () => init?.programPid() ?? pid,
    stdin,
    stdout,
    stderr,
    exited,
    drained,
    endInput() {
      // Looked up while it still runs, so that `kill` can wait for its end.
      init?.pid();
      stdin.end();
    },
    terminate: () => signalGroup(init?.pid() ?? pid, "SIGTERM"),
    killRest() {
      killAll();
      killRun(run);
    },
    async kill() {
      killAll();
      await settledWithin(Promise.all([exited, init?.gone(), killRunUntilGone(run)]), killWaitMs);
      stdout.destroy();
      stderr.destroy();
    },
  };
}

/** The first process of a namespace reports a signal as shells do, so a program that exits with 128 + n looks killed. */
function exitInNamespace(code: number | null, signal: NodeJS.Signals | null): ProcessExit {
  const names = Object.entries(constants.signals) as [NodeJS.Signals, number][];
  const killedBy = names.find(([, number]) => code === 128 + number)?.[0];
  return killedBy === undefined ? { code, signal } : { code: null, signal: killedBy };
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  if (process.platform !== "win32") signalProcess(-pid, signal);
  else spawn("taskkill", ["/pid", String(pid), "/T", "/F"], { stdio: "ignore" }).on("error", () => {});
}

function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has just ended, or the group is empty.
  }
}
