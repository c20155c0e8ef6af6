import { Fault, toFault } from "../core/fault.ts";
import { isRecord } from "../core/is-record.ts";
import { parseJson } from "../core/json.ts";
import type { MachineStart, Settlement } from "./machine/machine.ts";
import type { Machines, RunningMachine } from "./machine/machines.ts";
import { maxTimerMs, sleep } from "../core/wait.ts";
import { limitParallel } from "./limit-parallel.ts";

export interface RunLimits {
  readonly calls: number;
  readonly parallel: number;
  /** Characters of all answers that it may get. */
  readonly answerLength: number;
  readonly timeoutMs: number;
}

/** A question of the script that the host answers. `id` counts them, from 1. */
export type ScriptQuestion =
  | {
      readonly kind: "call";
      readonly id: number;
      readonly tool: string;
      readonly args: unknown;
      readonly line?: number;
    }
  | { readonly kind: "search"; readonly id: number; readonly query: unknown; readonly limit?: number }
  | { readonly kind: "describe"; readonly id: number; readonly tool: string }
  | { readonly kind: "read"; readonly id: number; readonly result: string; readonly options: Record<string, unknown> }
  | { readonly kind: "sleep"; readonly id: number; readonly ms: number };

/** Who answers what a script asks. What it throws, the script can catch. */
export interface ScriptHost {
  answer(question: ScriptQuestion, signal: AbortSignal): Promise<unknown>;
  progress(text: string | undefined, part: number | undefined): void;
}

/** The tool ran and reported an error: the script sees the code `tool-error`. */
export class ToolFailure extends Error {}

/** Where a run is written down, so that another process can go on with it. */
export interface RunRecord {
  /** Before it is answered. Throws if it can't be written: then it is not asked either. */
  asked(question: ScriptQuestion, text: string, time: number): void;
  settled(settlement: Settlement): void;
}

/** What an earlier process has written down. */
export interface KnownRun {
  readonly settlements: readonly Settlement[];
  /** When each question was asked, and what it was, by its id. */
  readonly asked: ReadonlyMap<number, AskedQuestion>;
}

export interface AskedQuestion {
  readonly time: number;
  readonly text: string;
}

export type ScriptEnd = { readonly log: readonly string[]; readonly calls: number } & (
  | { readonly kind: "returned"; readonly value: unknown; readonly isUndefined: boolean }
  | { readonly kind: "failed"; readonly message: string; readonly reason: string; readonly line?: number | undefined }
);

export interface ScriptRunOptions {
  readonly machines: Machines;
  readonly start: MachineStart;
  readonly host: ScriptHost;
  readonly limits: RunLimits;
  readonly signal: AbortSignal;
  readonly clock: () => number;
  readonly record?: RunRecord | undefined;
  readonly known?: KnownRun | undefined;
  /** Whether a question that was under way when the process ended may be asked again. */
  mayRepeat?(question: ScriptQuestion): boolean;
}

const maxLogLines = 1000;
const maxLogLength = 100_000;

/** Runs a script to its end. It never throws: a script that fails has an end, too. */
export function runScript(options: ScriptRunOptions): Promise<ScriptEnd> {
  const { start, host, limits, clock, record, known } = options;
  const ended = Promise.withResolvers<ScriptEnd>();
  const abort = new AbortController();
  const slots = limitParallel(limits.parallel);
  const log: string[] = [];
  let logLeft = maxLogLength;
  let [calls, handled, received, answersLeft] = [0, 0, 0, limits.answerLength];
  /** Questions without an answer, and reports of the machine that are on their way: a script without either is stuck. */
  const open = new Set<number>();
  let owed = 1;
  const settledBefore = new Set(known?.settlements.map(({ id }) => id));
  let isOver = false;

  const stop = () => end({ kind: "failed", reason: "cancelled", message: messageOfAbort(options.signal) });
  const timer = setTimeout(
    () => end({ kind: "failed", reason: "timeout", message: `The script took longer than ${limits.timeoutMs} ms.` }),
    Math.max(1, start.time + limits.timeoutMs - clock()),
  );
  options.signal.addEventListener("abort", stop, { once: true });
  const machine: RunningMachine = options.machines.start(
    start,
    {
      onReport(messages, fault) {
        owed--;
        for (const text of messages) {
          received++;
          // A script that was started anew sends what it has sent before.
          if (received > handled && !isOver) handle(text);
        }
        if (fault !== undefined) end({ kind: "failed", ...fault });
        else if (open.size === 0 && owed === 0)
          end({ kind: "failed", reason: "stuck", message: "The script waits for something that never happens." });
      },
      onRestart() {
        received = 0;
        owed = 1;
      },
    },
    known?.settlements,
  );
  if (options.signal.aborted) stop();
  return ended.promise;

  function handle(text: string): void {
    handled++;
    const message = parsedOrUndefined(text);
    if (!isRecord(message)) return;
    switch (message.kind) {
      case "log":
        return keepLine(String(message.text));
      case "progress":
        return host.progress(stringOf(message.text), numberOf(message.part));
      case "returned":
        return end({ kind: "returned", value: message.value, isUndefined: message.isUndefined === true });
      case "failed":
        return end({ kind: "failed", reason: stringOf(message.code) ?? "thrown", ...failureOf(message) });
      default: {
        const question = questionOf(message);
        if (question !== undefined) ask(question, text);
      }
    }
  }

  function ask(question: ScriptQuestion, text: string): void {
    const { id, kind } = question;
    if (kind === "call") calls++;
    const before = known?.asked.get(id);
    if (before !== undefined && before.text !== text)
      return end({
        kind: "failed",
        reason: "changed",
        message: "The script does not do what it did before, so it can't go on.",
      });
    if (settledBefore.has(id)) return;
    open.add(id);
    if (before !== undefined && options.mayRepeat?.(question) !== true)
      return settleWith(
        id,
        new Fault("outcome-unknown", "The hub stopped while this call was under way. It may have run."),
      );
    if (calls > limits.calls)
      return settleWith(id, new Fault("rate-limited", `A script may make ${limits.calls} calls at most.`));
    void answer(question, text, before);
  }

  async function answer(question: ScriptQuestion, text: string, before: AskedQuestion | undefined): Promise<void> {
    const { id } = question;
    try {
      const run = async (): Promise<unknown> => {
        abort.signal.throwIfAborted();
        const time = before?.time ?? clock();
        if (before === undefined) record?.asked(question, text, time);
        if (question.kind === "sleep") return await pause(question.ms - (clock() - time), abort.signal);
        return await host.answer(question, abort.signal);
      };
      // One that sleeps is not at work.
      const value = await (question.kind === "sleep" ? run() : slots.run(run));
      settle(id, true, JSON.stringify(value ?? null));
    } catch (error) {
      settleWith(id, error);
    }
  }

  function settleWith(id: number, error: unknown): void {
    const { message } = toFault(error);
    const code = error instanceof ToolFailure ? "tool-error" : toFault(error).code;
    settle(id, false, JSON.stringify({ code, message }));
  }

  function settle(id: number, isOk: boolean, text: string): void {
    if (isOver || !open.has(id)) return;
    answersLeft -= text.length;
    if (answersLeft < 0)
      return end({
        kind: "failed",
        reason: "answers",
        message: "The results of the script's calls are too large in all.",
      });
    const settlement = { id, isOk, text, time: clock() };
    record?.settled(settlement);
    open.delete(id);
    owed++;
    machine.settle(settlement);
  }

  function keepLine(text: string): void {
    if (log.length >= maxLogLines || logLeft <= 0) return;
    const line = text.length > logLeft ? `${text.slice(0, logLeft)}…` : text;
    logLeft -= text.length;
    log.push(line.toWellFormed());
  }

  function end(how: EndOf): void {
    if (isOver) return;
    isOver = true;
    clearTimeout(timer);
    options.signal.removeEventListener("abort", stop);
    ended.resolve({ ...how, log, calls });
    // After the end is known: what it stops is no part of the script any more.
    abort.abort(new Fault("cancelled", "The script is over."));
    queueMicrotask(() => machine.drop());
  }
}

type EndOf =
  | { readonly kind: "returned"; readonly value: unknown; readonly isUndefined: boolean }
  | { readonly kind: "failed"; readonly message: string; readonly reason: string; readonly line?: number | undefined };

/** What a script sends is text from a stranger: this is the one place where it becomes a question. */
function questionOf(message: Readonly<Record<string, unknown>>): ScriptQuestion | undefined {
  const { kind, id } = message;
  if (typeof id !== "number" || !Number.isSafeInteger(id)) return undefined;
  const tool = typeof message.tool === "string" ? message.tool : "";
  const [line, limit] = [numberOf(message.line), numberOf(message.limit)];
  switch (kind) {
    case "call":
      return { kind, id, tool, args: message.args ?? {}, ...(line !== undefined && { line }) };
    case "search":
      return { kind, id, query: message.query, ...(limit !== undefined && { limit }) };
    case "describe":
      return { kind, id, tool };
    case "read": {
      const { kind: _kind, id: _id, result, ...options } = message;
      return { kind, id, result: String(result), options };
    }
    case "sleep":
      return { kind, id, ms: numberOf(message.ms) ?? 0 };
    default:
      return undefined;
  }
}

function failureOf({ name, message, tool, line }: Readonly<Record<string, unknown>>) {
  const said = `${String(name)}: ${String(message)}`.slice(0, maxMessageLength).toWellFormed();
  return { message: typeof tool === "string" ? `${said} (tool ${tool.slice(0, 100)})` : said, line: numberOf(line) };
}
const maxMessageLength = 4000;

const stringOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);
const numberOf = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isFinite(value) ? value : undefined;

function parsedOrUndefined(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

const pause = (ms: number, signal: AbortSignal): Promise<void> => sleep(Math.min(Math.max(0, ms), maxTimerMs), signal);

function messageOfAbort({ reason }: AbortSignal): string {
  return reason instanceof Fault ? reason.message : "The script was stopped.";
}
