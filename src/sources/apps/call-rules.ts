import type { CountEvent } from "./app-event.ts";
import type { Bus } from "./bus.ts";

/** How the calls of one session are made. */
export interface CallRules {
  readonly bus: Bus;
  readonly sessionId: string;
  readonly timeoutMs: number;
  /** How long a call waits for a bridge that is not there. */
  readonly graceMs: number;
  /** A call that nobody has accepted by then is sent again. */
  readonly acceptMs: number;
  readonly now: () => number;
  readonly count: CountEvent;
}
