import type { CountEvent } from "./app-event.ts";
import type { Bus } from "./bus.ts";

/** How calls to apps are made. */
export interface CallRules {
  readonly bus: Bus;
  readonly timeoutMs: number;
  /** How long a call waits for a bridge that is not there. */
  readonly graceMs: number;
  /** A call that nobody has accepted by then is sent again. */
  readonly acceptMs: number;
  readonly now: () => number;
  readonly count: CountEvent;
}
