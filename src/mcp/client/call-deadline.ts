import { Fault } from "../../core/fault.ts";

export interface CallLimits {
  /** How long the server may stay silent. Progress restarts the time. */
  readonly timeoutMs: number;
  /** How long the call may take in total, no matter how much progress the server reports. */
  readonly maxTotalMs?: number | undefined;
  /** The settings that the limits come from, for the message of a timeout. */
  readonly settings?: { readonly timeoutMs: string; readonly maxTotalMs?: string } | undefined;
}

/** The time limits of one call: `timeoutMs` without any message, and `maxTotalMs` in total. */
export interface CallDeadline {
  /** Restarts the silence timer, after a pause that does not count. */
  extend(pauseMs?: number): void;
  /** Stops the silence timer until the returned function is called. The total time keeps running. */
  hold(): () => void;
  stop(): void;
}

export function createCallDeadline(
  { timeoutMs, maxTotalMs, settings }: CallLimits,
  onLate: (fault: Fault) => void,
): CallDeadline {
  const late = (ms: number, setting: string | undefined) => onLate(timeoutFault(ms, setting));
  let holds = 0;
  let silence = arm(0);
  const total =
    maxTotalMs === undefined || timeoutMs === 0
      ? undefined
      : setTimeout(late, maxTotalMs, maxTotalMs, settings?.maxTotalMs);
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
    if (timeoutMs === 0 || holds > 0) return undefined;
    return setTimeout(late, pauseMs + timeoutMs, timeoutMs, settings?.timeoutMs);
  }
}

/** Names the setting to raise, if there is one. */
export function timeoutFault(ms: number, setting?: string): Fault {
  const advice = setting === undefined ? "" : ` Raise \`${setting}\` in the configuration to wait longer.`;
  return new Fault("timeout", `The server did not answer within ${ms} ms.${advice}`);
}
