import { Fault } from "../../src/core/fault.ts";
import { isRecord } from "./is-record.ts";
import type { Expected, Outcome } from "./oracle.ts";

/** Which answers are still to come, and whether those that came were the right ones. */
export interface Ledger {
  expect(expected: Expected, sent: Uint8Array): void;
  /** Takes one answer off; faults where nothing like it was to come. */
  settle(answer: unknown): void;
  /** From here on silence is right for this id, too. */
  excuse(id: unknown): void;
  /** How many answers have to come yet. */
  readonly owed: number;
  /** Resolves when nothing is owed any more; faults with what is missing after the time. */
  quiet(withinMs: number): Promise<void>;
  /** Forgets answers that may still come but need not. */
  forgive(): void;
}

interface Entry extends Expected {
  readonly sent: Uint8Array;
}

export function createLedger(): Ledger {
  const entries = new Map<string, Entry[]>();
  let owed = 0;
  let onQuiet: (() => void) | undefined;

  function paid(entry: Entry): void {
    if (entry.maybe) return;
    owed -= 1;
    if (owed === 0) onQuiet?.();
  }

  return {
    expect(expected, sent) {
      const key = JSON.stringify(expected.id);
      const list = entries.get(key) ?? [];
      // Pickier ones first: they have the fewest answers to choose from.
      list.push({ ...expected, sent });
      list.sort((a, b) => a.outcomes.size - b.outcomes.size);
      entries.set(key, list);
      if (!expected.maybe) owed += 1;
    },
    settle(answer) {
      const outcome = outcomeOf(answer);
      const key = JSON.stringify(isRecord(answer) ? answer.id : undefined);
      const list = entries.get(key) ?? [];
      const at = list.findIndex(({ outcomes }) => outcomes.has(outcome));
      const [entry] = at < 0 ? [] : list.splice(at, 1);
      if (entry === undefined) throw wrongAnswer(answer, list);
      if (list.length === 0) entries.delete(key);
      paid(entry);
    },
    excuse(id) {
      for (const entry of entries.get(JSON.stringify(id)) ?? []) {
        paid(entry);
        entry.maybe = true;
      }
    },
    get owed() {
      return owed;
    },
    quiet(withinMs) {
      if (owed === 0) return Promise.resolve();
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const timer = setTimeout(() => reject(missing(entries, owed)), withinMs);
      onQuiet = () => {
        onQuiet = undefined;
        clearTimeout(timer);
        resolve();
      };
      return promise;
    },
    forgive() {
      for (const [key, list] of entries) {
        if (list.every(({ maybe }) => maybe)) entries.delete(key);
      }
    },
  };
}

/** The form of every answer is the same, whatever it says. */
function outcomeOf(answer: unknown): Outcome {
  if (!isRecord(answer) || answer.jsonrpc !== "2.0" || !("id" in answer)) throw malformed(answer);
  if ("result" in answer === "error" in answer) throw malformed(answer);
  if ("result" in answer) {
    if (!isRecord(answer.result)) throw malformed(answer);
    return "result";
  }
  const { error } = answer;
  if (!isRecord(error) || !Number.isInteger(error.code) || typeof error.message !== "string") throw malformed(answer);
  return Number(error.code);
}

function malformed(answer: unknown): Fault {
  return new Fault("corrupt", `This is no JSON-RPC answer: ${shown(JSON.stringify(answer) ?? "nothing")}`);
}

function wrongAnswer(answer: unknown, candidates: readonly Entry[]): Fault {
  const wanted = candidates.map(({ outcomes, sent }) => `${[...outcomes].join("|")} for ${shown(sent)}`);
  return new Fault(
    "corrupt",
    `Nobody waited for the answer ${shown(JSON.stringify(answer))}; with its id: ${wanted.join("; ") || "nothing"}`,
  );
}

function missing(entries: ReadonlyMap<string, readonly Entry[]>, owed: number): Fault {
  const first = [...entries.values()].flat().filter(({ maybe }) => !maybe);
  const list = first.slice(0, 3).map(({ outcomes, sent }) => `${[...outcomes].join("|")} for ${shown(sent)}`);
  return new Fault("timeout", `${owed} answers never came. The first: ${list.join("; ")}`);
}

/** What was sent or came, short enough to read. */
export function shown(sent: Uint8Array | string): string {
  const text = typeof sent === "string" ? sent : Buffer.from(sent).toString("utf8");
  return text.length > 600 ? `${text.slice(0, 600)}… (${text.length})` : text;
}
