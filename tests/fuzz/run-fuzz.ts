import { fork } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Fault } from "../../src/core/fault.ts";
import { createHttpDriver } from "./http-driver.ts";
import { createRandom } from "../support/random.ts";
import { createStdioDriver } from "./stdio-driver.ts";

export interface FuzzOptions {
  readonly messages: number;
  readonly seed: number;
  readonly onRound?: (sent: number) => void;
}

export interface FuzzReport {
  readonly sent: number;
  /** Bytes of heap after collection, when a fifth and when all of the messages were sent. */
  readonly heapEarly: number;
  readonly heapLate: number;
}

const overStdio = 1500;
const overHttp = 500;

/** Sends messages to a server in a separate process. Faults at the first answer that is wrong or missing. */
export async function runFuzz(options: FuzzOptions): Promise<FuzzReport> {
  const target = fork(path.join(import.meta.dirname, "target.ts"), {
    execArgv: ["--expose-gc"],
    stdio: ["pipe", "pipe", "inherit", "ipc"],
  });
  const died = once(target, "exit").then(([code, signal]): never => {
    throw new Fault(
      "internal",
      `The fuzzed server died: exit code ${code}, signal ${signal}. Run it again with --seed ${options.seed}.`,
    );
  });
  try {
    return await Promise.race([drive(target, options), died]);
  } catch (error) {
    // A broken connection usually means that the server died. Wait a moment for its exit, which says more.
    await Promise.race([died, sleep(500)]);
    throw error;
  } finally {
    died.catch(() => {});
    target.kill("SIGKILL");
  }
}

async function drive(target: ChildProcess, { messages, seed, onRound }: FuzzOptions): Promise<FuzzReport> {
  const { port } = await nextMessage(target);
  if (!target.stdin || !target.stdout || port === undefined) throw new Fault("internal", "The target did not start.");
  const stdio = createStdioDriver(target.stdin, target.stdout, createRandom(seed), createRandom(seed + 1));
  const http = createHttpDriver(port, createRandom(seed + 2));
  let sent = 0;
  let heapEarly: number | undefined;
  while (sent < messages) {
    await Promise.all([stdio.round(overStdio), http.round(overHttp)]);
    sent += overStdio + overHttp;
    onRound?.(sent);
    if (heapEarly === undefined && sent >= messages / 5) heapEarly = await heapOf(target);
  }
  const heapLate = await heapOf(target);
  return { sent, heapEarly: heapEarly ?? heapLate, heapLate };
}

async function heapOf(target: ChildProcess): Promise<number> {
  target.send("heap");
  return (await nextMessage(target)).heapUsed ?? 0;
}

async function nextMessage(target: ChildProcess): Promise<{ port?: number; heapUsed?: number }> {
  const [message] = await once(target, "message");
  return message;
}
