import type { AskAnswer, CallHandle, CallListener, CallOrder } from "../call/call-bus.ts";

/** A call that the app has to do. */
export interface RunningCall {
  readonly requestId: string;
  readonly order: CallOrder;
  /** Of the arguments, where the call may come again. */
  readonly fingerprint: string | undefined;
  listeners: CallListener[];
  /** Counted in the budget for as long as it runs. */
  readonly bytes: number;
  /** Whether all of it may have reached the app: not known before it has been written, or couldn't be. */
  sent: boolean | undefined;
  /** Whether the bridge was lost before that was known. */
  orphaned: boolean;
}

/** Whoever has calls under way. */
export interface CallRunner {
  /** This listener waits no more. */
  cancel(call: RunningCall, listener: CallListener, reason: string): void;
  /** What the app asked about this call is answered. */
  answer(call: RunningCall, askId: string, answer: AskAnswer): void;
}

/** The grip of one listener on a call. A class, not a closure: one is made for every call. */
export class RunningHandle implements CallHandle {
  readonly #runner: CallRunner;
  readonly #call: RunningCall;
  readonly #listener: CallListener;

  constructor(runner: CallRunner, call: RunningCall, listener: CallListener) {
    this.#runner = runner;
    this.#call = call;
    this.#listener = listener;
  }

  cancel(reason: string): void {
    this.#runner.cancel(this.#call, this.#listener, reason);
  }

  answer(askId: string, answer: AskAnswer): void {
    this.#runner.answer(this.#call, askId, answer);
  }
}
