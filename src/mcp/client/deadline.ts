import { Fault } from "../../core/fault.ts";

/** Watches one call: silence for `timeoutMs` ends it, and so does `maxTotalMs` however much is heard. */
export interface CallDeadline {
  /** Starts the time of silence again, after a pause that does not count where one was agreed on. */
  extend(pauseMs?: number): void;
  stop(): void;
}

export function createDeadline(
  { timeoutMs, maxTotalMs }: { readonly timeoutMs: number; readonly maxTotalMs?: number | undefined },
  onLate: (fault: Fault) => void,
): CallDeadline {
  const late = (ms: number) => onLate(new Fault("timeout", `The server did not answer within ${ms} ms.`));
  let silence = arm();
  const total = maxTotalMs === undefined || timeoutMs === 0 ? undefined : setTimeout(late, maxTotalMs, maxTotalMs);
  return {
    extend(pauseMs = 0) {
      clearTimeout(silence);
      silence = arm(pauseMs);
    },
    stop() {
      clearTimeout(silence);
      clearTimeout(total);
    },
  };

  /** Zero means no limit. */
  function arm(pauseMs = 0): NodeJS.Timeout | undefined {
    return timeoutMs === 0 ? undefined : setTimeout(late, pauseMs + timeoutMs, timeoutMs);
  }
}
