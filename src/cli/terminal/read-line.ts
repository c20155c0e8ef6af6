import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import type { World } from "../../core/process/world.ts";
import { createSerialQueue, type RunSerially } from "../../core/serial-queue.ts";

type Input = World["stdin"];

/** The next line that is typed; undefined once the input ends or the signal aborts. */
export function readLine(stdin: Input, signal?: AbortSignal): Promise<string | undefined> {
  if (signal?.aborted) return Promise.resolve(undefined);
  return new Promise((resolve) => {
    const lines = createInterface({ input: stdin });
    const end = (): void => lines.close();
    signal?.addEventListener("abort", end, { once: true });
    lines.once("line", (line) => {
      resolve(line);
      end();
    });
    lines.once("close", () => {
      signal?.removeEventListener("abort", end);
      resolve(undefined);
    });
  });
}

/** As `readLine`, at a terminal that does not show what is typed. Undefined also after Ctrl-C. */
export function readHiddenLine(stdin: Input): Promise<string | undefined> {
  return new Promise((resolve) => {
    const unseen = new Writable({ write: (_chunk, _encoding, done) => done() });
    // As a terminal, so that it edits the line itself and the system's own echo is off.
    const lines = createInterface({ input: stdin, output: unseen, terminal: true, historySize: 0 });
    lines.once("line", (line) => {
      resolve(line);
      lines.close();
    });
    lines.once("close", () => resolve(undefined));
  });
}

const queues = new WeakMap<Input, RunSerially>();

/** Runs one dialogue at a time: two questions at once would share one line of typing. */
export function runDialogue<T>(stdin: Input, dialogue: () => Promise<T>): Promise<T> {
  const runSerially = queues.get(stdin) ?? createSerialQueue();
  queues.set(stdin, runSerially);
  return runSerially(dialogue);
}

export function isYes(typed: string): boolean {
  return /^y(es)?$/i.test(typed.trim());
}
