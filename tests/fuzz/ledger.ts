import { Fault } from "../../src/core/fault.ts";
import { isRecord } from "../../src/core/is-record.ts";
import type { Expected, Outcome } from "./oracle.ts";

/** Tracks which answers are still due, and checks those that came. */
export interface Ledger {
  expect(expected: Expected, sent: Uint8Array): void;
  /** Checks off one answer. Faults if no such answer was expected. */
  settle(answer: unknown): void;
  /** From now on this id need not be answered. */
  excuse(id: unknown): void;
  /** How many answers are still due. */
  readonly owed: number;
  /** Resolves when no answer is due any more. After the time it faults with what is missing. */
  quiet(withinMs: number): Promise<void>;
  /** Forgets what is settled. Optional answers may still come for one more round. */
  closeRound(): void;
}

interface Entry extends Expected {
  readonly sent: Uint8Array;
  /** The answer assigned to this request. It may move to another one with the same id. */
  taken?: Outcome;
  /** Whether the round of this request is over. */
  isOld?: boolean;
}

export function createLedger(): Ledger {
  const entries = new Map<string, Entry[]>();
  let owed = 0;
  let onQuiet: (() => void) | undefined;

  function owe(change: number): void {
    owed += change;
    if (owed === 0) onQuiet?.();
  }

  return {
    expect(expected, sent) {
      const key = JSON.stringify(expected.id);
      const list = entries.get(key) ?? [];
      entries.set(key, list);
      list.push({ ...expected, sent });
      if (!expected.maybe) owe(1);
    },
    settle(answer) {
      const outcome = outcomeOf(answer);
      const list = entries.get(JSON.stringify(isRecord(answer) ? answer.id : undefined)) ?? [];
      const before = owedIn(list);
      if (!assign(outcome, list, new Set())) throw wrongAnswer(answer, list);
      owe(owedIn(list) - before);
    },
    excuse(id) {
      for (const entry of entries.get(JSON.stringify(id)) ?? []) {
        if (!entry.maybe && entry.taken === undefined) owe(-1);
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
    closeRound() {
      for (const [key, list] of entries) {
        const late = list.filter(({ maybe, taken, isOld }) => maybe && taken === undefined && isOld !== true);
        for (const entry of late) entry.isOld = true;
        if (late.length > 0) entries.set(key, late);
        else entries.delete(key);
      }
    },
  };
}

/**
 * Assigns an answer to one of the requests with its id. There may be several, and an answer may fit more than one, so an
 * earlier answer moves to another request if that makes room.
 */
function assign(outcome: Outcome, list: readonly Entry[], tried: Set<Entry>): boolean {
  for (const entry of [...list.filter(({ maybe }) => !maybe), ...list.filter(({ maybe }) => maybe)]) {
    if (tried.has(entry) || !entry.outcomes.has(outcome)) continue;
    tried.add(entry);
    if (entry.taken !== undefined && !assign(entry.taken, list, tried)) continue;
    entry.taken = outcome;
    return true;
  }
  return false;
}

function owedIn(list: readonly Entry[]): number {
  return list.filter(({ maybe, taken }) => !maybe && taken === undefined).length;
}

/** Checks the form of an answer, which is the same for all. */
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
  return new Fault("corrupt", `Not a JSON-RPC response: ${shown(JSON.stringify(answer) ?? "nothing")}`);
}

function wrongAnswer(answer: unknown, candidates: readonly Entry[]): Fault {
  const expected = candidates.map(({ outcomes, sent }) => `${[...outcomes].join("|")} for ${shown(sent)}`);
  return new Fault(
    "corrupt",
    `Unexpected answer ${shown(JSON.stringify(answer))}; expected for its id: ${expected.join("; ") || "nothing"}`,
  );
}

function missing(entries: ReadonlyMap<string, readonly Entry[]>, owed: number): Fault {
  const first = [...entries.values()].flat().filter(({ maybe, taken }) => !maybe && taken === undefined);
  const list = first.slice(0, 3).map(({ outcomes, sent }) => `${[...outcomes].join("|")} for ${shown(sent)}`);
  return new Fault("timeout", `${owed} answers never came. The first: ${list.join("; ")}`);
}

/** A message, shortened for display. */
export function shown(sent: Uint8Array | string): string {
  const text = typeof sent === "string" ? sent : Buffer.from(sent).toString("utf8");
  return text.length > 600 ? `${text.slice(0, 600)}… (${text.length})` : text;
}
