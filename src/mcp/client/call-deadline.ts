import { Fault } from "../../core/fault.ts";

export interface CallLimits {
  /** How long the server may stay silent. Progress restarts the time. */
  readonly timeoutMs: number;
  /** How long the call may take in total, no matter how much progress the server reports. */
  readonly maxTotalMs?: number | undefined;
  /** The settings that the limits come from, for the message of a timeout. */
  readonly settings?: { readonly timeoutMs: string; readonly maxTotalMs?: string } | undefined;
}

/**
 * The time limits of one call: `timeoutMs` without any message, and `maxTotalMs` in total. A class, not a closure: there
 * is one for every call.
 */
export class CallDeadline {
  readonly #limits: CallLimits;
  readonly #clock: DeadlineClock;
  readonly #totalAt: number;
  #silentAt: number;
  #holds = 0;

  constructor(limits: CallLimits, clock: DeadlineClock) {
    const { timeoutMs, maxTotalMs } = limits;
    this.#limits = limits;
    this.#clock = clock;
    // Zero means no limit.
    this.#silentAt = timeoutMs === 0 ? Infinity : clock.now() + timeoutMs;
    this.#totalAt = maxTotalMs === undefined || timeoutMs === 0 ? Infinity : this.#silentAt - timeoutMs + maxTotalMs;
    if (timeoutMs !== 0) clock.enter();
    clock.wakeAt(this.endsAt);
  }

  /** The call has ended. Called once. */
  end(): void {
    if (this.#limits.timeoutMs !== 0) this.#clock.leave();
  }

  get endsAt(): number {
    return Math.min(this.#silentAt, this.#totalAt);
  }

  /** What to report if it is over. */
  fault(): Fault {
    const { timeoutMs, maxTotalMs, settings } = this.#limits;
    return this.#totalAt <= this.#silentAt
      ? timeoutFault(maxTotalMs!, settings?.maxTotalMs)
      : timeoutFault(timeoutMs, settings?.timeoutMs);
  }

  /** Restarts the time of silence, after a pause that does not count. */
  extend(pauseMs = 0): void {
    const { timeoutMs } = this.#limits;
    this.#silentAt = timeoutMs === 0 || this.#holds > 0 ? Infinity : this.#clock.now() + pauseMs + timeoutMs;
    this.#clock.wakeAt(this.endsAt);
  }

  /** Stops the time of silence until the returned function is called. The total time keeps running. */
  hold(): () => void {
    this.#holds++;
    this.extend();
    let isHeld = true;
    return () => {
      if (isHeld) this.#holds--;
      isHeld = false;
      this.extend();
    };
  }
}

/** Ends calls that take too long, all with one timer: one for each would be a large part of what a short call costs. */
export interface DeadlineClock {
  now(): number;
  /** A call with a time limit begins. Until it ends, the process stays: perhaps nothing else keeps it. */
  enter(): void;
  leave(): void;
  /** The calls are looked at no later than at this time. */
  wakeAt(time: number): void;
  stop(): void;
}

interface LimitedCall {
  readonly deadline: Pick<CallDeadline, "endsAt" | "fault">;
  /** Ends the call. It is not among the calls any more afterwards. */
  expire(fault: Fault): void;
}

/** Longer timers end at once. */
const maxTimerMs = 2 ** 31 - 1;

export function createDeadlineClock(calls: Iterable<LimitedCall>): DeadlineClock {
  let timer: NodeJS.Timeout | undefined;
  let wakesAt = Infinity;
  let limited = 0;
  const now = () => performance.now();

  function enter(): void {
    if (limited++ === 0) timer?.ref();
  }

  function leave(): void {
    if (--limited === 0) timer?.unref();
  }

  function wakeAt(time: number): void {
    if (time >= wakesAt) return;
    clearTimeout(timer);
    wakesAt = time;
    timer = setTimeout(wake, Math.min(Math.max(Math.ceil(time - now()), 1), maxTimerMs));
    if (limited === 0) timer.unref();
  }

  function wake(): void {
    const time = now();
    timer = undefined;
    wakesAt = Infinity;
    let next = Infinity;
    for (const call of calls) {
      const { endsAt } = call.deadline;
      if (endsAt <= time) call.expire(call.deadline.fault());
      else next = Math.min(next, endsAt);
    }
    wakeAt(next);
  }

  function stop(): void {
    clearTimeout(timer);
    timer = undefined;
    wakesAt = Infinity;
  }

  return { now, enter, leave, wakeAt, stop };
}

/** Names the setting to raise, if there is one. */
export function timeoutFault(ms: number, setting?: string): Fault {
  const advice = setting === undefined ? "" : ` Raise \`${setting}\` in the configuration to wait longer.`;
  return new Fault("timeout", `The server did not answer within ${ms} ms.${advice}`);
}
