import { Fault } from "../../core/fault.ts";

/** The time limits of one call: `timeoutMs` without any message, and `maxTotalMs` in total. */
export interface CallDeadline {
  /** Restarts the silence timer, after a pause that does not count. */
  extend(pauseMs?: number): void;
  /** Stops the silence timer until the returned function is called. The total time keeps running. */
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
