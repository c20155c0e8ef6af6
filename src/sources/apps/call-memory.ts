import type { CallOutcome } from "./bus.ts";
import type { MemoryBudget } from "./memory-budget.ts";

/** What became of the last calls of a session, so that one that comes again is not run again. */
export interface CallMemory {
  recall(callId: string): CallOutcome | undefined;
  /** `bytes` is what the outcome weighs; one too heavy to keep is remembered as lost. */
  remember(callId: string, outcome: CallOutcome, bytes: number): void;
  clear(): void;
}

export interface CallMemoryOptions {
  readonly now: () => number;
  readonly budget: MemoryBudget;
  readonly keepMs?: number;
  readonly atMost?: number;
  readonly mostBytes?: number;
}

interface Kept {
  readonly outcome: CallOutcome;
  readonly at: number;
  readonly bytes: number;
}

const lost: CallOutcome = { kind: "lost" };

export function createCallMemory(options: CallMemoryOptions): CallMemory {
  const { now, budget, keepMs = 600_000, atMost = 200, mostBytes = 256 * 1024 } = options;
  const kept = new Map<string, Kept>();
  let held = 0;

  return {
    recall(callId) {
      const found = kept.get(callId);
      return found !== undefined && now() - found.at <= keepMs ? found.outcome : undefined;
    },
    remember(callId, outcome, bytes) {
      forget(callId);
      const fits = bytes <= mostBytes / 4 && budget.take(bytes);
      const entry = fits ? { outcome, at: now(), bytes } : { outcome: lost, at: now(), bytes: 0 };
      kept.set(callId, entry);
      held += entry.bytes;
      for (const oldest of kept.keys()) {
        if (kept.size <= atMost && held <= mostBytes) break;
        forget(oldest);
      }
    },
    clear() {
      for (const callId of kept.keys()) forget(callId);
    },
  };

  function forget(callId: string): void {
    const bytes = kept.get(callId)?.bytes ?? 0;
    held -= bytes;
    budget.give(bytes);
    kept.delete(callId);
  }
}
