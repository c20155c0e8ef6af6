import { errorResult } from "../../../mcp/messages/tool.ts";
import type { MemoryBudget } from "../memory-budget.ts";
import type { CallOutcome } from "./call-bus.ts";

export interface RememberedCall {
  /** Of its arguments: another call under the same id is not this one. */
  readonly fingerprint: string;
  readonly outcome: CallOutcome;
  /** What the outcome weighs. */
  readonly bytes: number;
}

/** What became of the last calls of a session, so that one that comes again is not run again. */
export interface IdempotencyCache {
  recall(callId: string): RememberedCall | undefined;
  /** Whether one more can be remembered: none is forgotten before its time. */
  hasRoom(): boolean;
  /** Results that weigh too much are not kept; that the call ran is. */
  remember(callId: string, call: RememberedCall): void;
  clear(): void;
}

export interface IdempotencyCacheOptions {
  readonly now: () => number;
  readonly budget: MemoryBudget;
  readonly keepMs?: number;
  readonly atMost?: number;
  readonly mostBytes?: number;
}

interface Kept extends RememberedCall {
  readonly at: number;
}

const resultGone: CallOutcome = {
  kind: "done",
  result: errorResult("This call ran already, but its result is not kept here any more."),
};

/** What an entry weighs beside its result. */
const entryBytes = 512;

export function createIdempotencyCache(options: IdempotencyCacheOptions): IdempotencyCache {
  const { now, budget, keepMs = 600_000, atMost = 10_000, mostBytes = 256 * 1024 } = options;
  const kept = new Map<string, Kept>();
  /** Those whose results are kept, oldest first. */
  const heavy = new Set<string>();
  let held = 0;

  return {
    recall(callId) {
      const found = kept.get(callId);
      return found !== undefined && now() - found.at <= keepMs ? found : undefined;
    },
    hasRoom() {
      for (const [callId, { at }] of kept) {
        if (now() - at <= keepMs) break;
        forget(callId);
      }
      if (kept.size >= atMost || !budget.take(entryBytes)) return false;
      budget.give(entryBytes);
      return true;
    },
    remember(callId, call) {
      forget(callId);
      const isKept = call.bytes <= mostBytes / 4 && budget.take(call.bytes);
      if (isKept) {
        heavy.add(callId);
        held += call.bytes;
      }
      // Also where there is no room left for it: it runs already.
      budget.give(-entryBytes);
      kept.set(callId, { ...(isKept ? call : withoutResult(call)), at: now() });
      for (const oldest of heavy) {
        if (held <= mostBytes) break;
        lighten(oldest);
      }
    },
    clear() {
      for (const callId of kept.keys()) forget(callId);
    },
  };

  function forget(callId: string): void {
    lighten(callId);
    if (kept.delete(callId)) budget.give(entryBytes);
  }

  /** Lets go of the result. */
  function lighten(callId: string): void {
    const found = kept.get(callId);
    if (found === undefined || !heavy.delete(callId)) return;
    held -= found.bytes;
    budget.give(found.bytes);
    kept.set(callId, { ...withoutResult(found), at: found.at });
  }
}

function withoutResult({ fingerprint, outcome }: RememberedCall): RememberedCall {
  return { fingerprint, outcome: outcome.kind === "done" ? resultGone : outcome, bytes: 0 };
}
