import { Fault } from "../../core/fault.ts";
import type { InFlight } from "../../core/in-flight.ts";
import { type Abort, type AbortListener, abortOf, LazyAbort } from "../../core/lazy-abort.ts";
import { cancelledBy } from "../../core/wait.ts";
import type { Progress } from "../messages/interim-messages.ts";
import type { Params } from "../messages/json-rpc.ts";
import { CallDeadline, type DeadlineClock } from "./call-deadline.ts";
import type { SendOptions } from "./client-transport.ts";
import type { CallOptions } from "./call-options.ts";

export interface SentOptions extends CallOptions {
  /** Called when the server has acknowledged the subscription that this request makes. */
  onAcknowledged?(): void;
}

/** What a request that waits needs of its client. */
export interface PendingOwner {
  readonly pending: InFlight<PendingCall>;
  readonly clock: DeadlineClock;
  /** The caller gave the request up, or it took too long. */
  onCancelled(call: PendingCall, fault: unknown): void;
}

/**
 * One request that waits for its answer. A class, not a closure: there is one for every call, and methods on the prototype
 * keep it cheap. So does making no AbortSignal unless the transport needs one.
 */
export class PendingCall implements AbortListener, SendOptions {
  readonly id: number;
  readonly method: string;
  readonly options: SentOptions;
  readonly headers: SendOptions["headers"];
  readonly answered: Promise<Params>;
  readonly deadline: CallDeadline;
  /** Stops the transport's work for this request. */
  readonly abort = new LazyAbort();
  readonly #owner: PendingOwner;
  readonly #given: Abort | undefined;
  #isSettled = false;
  #resolve!: (result: Params) => void;
  #reject!: (fault: unknown) => void;

  constructor(id: number, method: string, options: SentOptions, headers: SendOptions["headers"], owner: PendingOwner) {
    this.id = id;
    this.method = method;
    this.options = options;
    this.headers = headers;
    this.#owner = owner;
    this.#given = options.abort ?? (options.signal && abortOf({ signal: options.signal }));
    this.answered = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.deadline = new CallDeadline(options, owner.clock);
    this.#given?.listen(this);
    owner.pending.add(this);
  }

  resolve(result: Params): void {
    this.#settle();
    this.#resolve(result);
  }

  reject(fault: unknown): void {
    this.#settle();
    this.#reject(fault);
  }

  expire(fault: Fault): void {
    this.#cancel(fault);
  }

  /** Not called by a request that is settled: it no longer listens. */
  handleEvent(): void {
    this.#cancel(cancelledBy(this.#given!));
  }

  onProgress(progress: Progress): void {
    this.deadline.extend();
    this.options.onProgress?.(progress);
  }

  onPause(ms: number): void {
    this.deadline.extend(ms);
  }

  #cancel(fault: unknown): void {
    if (this.#isSettled) return;
    this.reject(fault);
    this.abort.abort(new Fault("cancelled", "The request was cancelled.", { cause: fault }));
    this.#owner.onCancelled(this, fault);
  }

  #settle(): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.#owner.pending.delete(this);
    this.deadline.end();
    this.#given?.unlisten(this);
  }
}
