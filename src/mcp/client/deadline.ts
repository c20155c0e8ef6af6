import { Fault } from "../../core/fault.ts";

/** Watches one call: silence for `timeoutMs` ends it, and so does `maxTotalMs` however much is heard. */
export interface CallDeadline {
  extend(): void;
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
    extend() {
      clearTimeout(silence);
      silence = arm();
    },
    stop() {
      clearTimeout(silence);
      clearTimeout(total);
    },
  };

  /** Zero means no limit. */
  function arm(): NodeJS.Timeout | undefined {
    return timeoutMs === 0 ? undefined : setTimeout(late, timeoutMs, timeoutMs);
  }
}
