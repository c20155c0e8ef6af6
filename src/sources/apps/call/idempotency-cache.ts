import { errorResult } from "../../../mcp/messages/tool.ts";
import type { MemoryBudget } from "../memory-budget.ts";
import type { CallOutcome } from "./call-bus.ts";

export interface RememberedCall {
  /** Hash of the arguments: the same id with other arguments is another call. */
  readonly fingerprint: string;
  readonly outcome: CallOutcome;
  /** Size of the outcome. */
  readonly bytes: number;
}

/** The outcomes of the last calls of a session, so that a call that comes again is not run again. */
export interface IdempotencyCache {
  recall(callId: string): RememberedCall | undefined;
  /** Whether one more call can be remembered. None is forgotten before its time. */
  hasRoom(): boolean;
  /** Always remembers that the call ran. Its result is dropped if it is too large. */
  remember(callId: string, call: RememberedCall): void;
  clear(): void;
}

export interface IdempotencyCacheOptions {
  readonly now: () => number;
  readonly budget: MemoryBudget;
  readonly keepMs?: number;
  readonly maxCalls?: number;
  /** For all results together; one may take a quarter of it. */
  readonly maxBytes?: number;
}

interface CacheEntry extends RememberedCall {
  readonly at: number;
}

/** What an entry takes in memory beside its result. */
const entryBytes = 512;

export function createIdempotencyCache(options: IdempotencyCacheOptions): IdempotencyCache {
  const { now, budget, keepMs = 600_000, maxCalls = 10_000, maxBytes = 256 * 1024 } = options;
  const entries = new Map<string, CacheEntry>();
  /** The ids of entries that have a result, oldest first. */
  const withResult = new Set<string>();
  let resultBytes = 0;

  return {
    recall(callId) {
      const found = entries.get(callId);
      return found !== undefined && now() - found.at <= keepMs ? found : undefined;
    },
    hasRoom() {
      for (const [callId, { at }] of entries) {
        if (now() - at <= keepMs) break;
        forget(callId);
      }
      if (entries.size >= maxCalls || !budget.take(entryBytes)) return false;
      budget.give(entryBytes);
      return true;
    },
    remember(callId, call) {
      forget(callId);
      const isKept = call.bytes <= maxBytes / 4 && budget.take(call.bytes);
      if (isKept) {
        withResult.add(callId);
        resultBytes += call.bytes;
      }
      // Not `take`: the call has run, so it is remembered even if the budget is used up.
      budget.give(-entryBytes);
      entries.set(callId, { ...(isKept ? call : withoutResult(call)), at: now() });
      for (const oldest of withResult) {
        if (resultBytes <= maxBytes) break;
        dropResult(oldest);
      }
    },
    clear() {
      for (const callId of entries.keys()) forget(callId);
    },
  };

  function forget(callId: string): void {
    dropResult(callId);
    if (entries.delete(callId)) budget.give(entryBytes);
  }

  function dropResult(callId: string): void {
    const found = entries.get(callId);
    if (found === undefined || !withResult.delete(callId)) return;
    resultBytes -= found.bytes;
    budget.give(found.bytes);
    entries.set(callId, { ...withoutResult(found), at: found.at });
  }
}

function withoutResult({ fingerprint, outcome }: RememberedCall): RememberedCall {
  return { fingerprint, outcome: outcome.kind === "done" ? resultDropped : outcome, bytes: 0 };
}

const resultDropped: CallOutcome = {
  kind: "done",
  result: errorResult("This call already ran, but its result is no longer kept."),
};
