import { Fault } from "../../core/fault.ts";

/** Watches one call: silence for `timeoutMs` ends it, and so does `maxTotalMs` however much is heard. */
export interface CallDeadline {
  /** Starts the time of silence again, after a pause that does not count where one was agreed on. */
  extend(pauseMs?: number): void;
  /** Silence does not count until the returned function is called; the whole time runs on. */
  hold(): () => void;
  stop(): void;
}

export function createCallDeadline(
  { timeoutMs, maxTotalMs }: { readonly timeoutMs: number; readonly maxTotalMs?: number | undefined },
  onLate: (fault: Fault) => void,
): CallDeadline {
  const late = (ms: number) => onLate(new Fault("timeout", `The server did not answer within ${ms} ms.`));
  let holds = 0;
  let silence = arm(0);
  const total = maxTotalMs === undefined || timeoutMs === 0 ? undefined : setTimeout(late, maxTotalMs, maxTotalMs);
  let isOver = false;
  return {
    extend,
    hold() {
      holds++;
      extend();
      let isHeld = true;
      return () => {
        if (isHeld) holds--;
        isHeld = false;
        extend();
      };
    },
    stop() {
      isOver = true;
      clearTimeout(silence);
      clearTimeout(total);
    },
  };

  function extend(pauseMs = 0): void {
    clearTimeout(silence);
    if (!isOver) silence = arm(pauseMs);
  }

  /** Zero means no limit. */
  function arm(pauseMs: number): NodeJS.Timeout | undefined {
    return timeoutMs === 0 || holds > 0 ? undefined : setTimeout(late, pauseMs + timeoutMs, timeoutMs);
  }
}
