import type { CallContext } from "../../../catalog/call-context.ts";
import { Fault, messageOf } from "../../../core/fault.ts";
import { type Abort, type AbortListener, abortOf } from "../../../core/lazy-abort.ts";
import { cancelledBy } from "../../../core/wait.ts";
import type { CountEvent } from "../app-event.ts";
import {
  type CallBus,
  type CallHandle,
  type CallListener,
  type CallNews,
  type CallOrder,
  type CallOutcome,
  lostOutcome,
} from "./call-bus.ts";

/** What all calls to apps share. */
export interface CallRules {
  readonly bus: CallBus;
  readonly timeoutMs: number;
  /** How long a call waits for a bridge that is not connected. */
  readonly graceMs: number;
  /** A call that was not accepted within this time is sent again. */
  readonly acceptMs: number;
  readonly now: () => number;
  readonly count: CountEvent;
}

/** The outcome, or `late` if the call was given up at its deadline. */
type AttemptEnd = Exclude<CallOutcome, { readonly kind: "skipped" }> | { readonly kind: "late" };

const late: AttemptEnd = { kind: "late" };
/** How many times `acceptMs` a call that was refused waits for the answers to its earlier sendings. */
const answerTimes = 5;

/**
 * Sends the call, and sends it again after each `acceptMs` without an acceptance: the holder of the bridge knows it by its
 * id and runs it once. It is never sent again after it was accepted. It ends as refused only if every sending was, since
 * the caller may then send it to another holder. Rejects only if the caller cancels, or if the bus can't send.
 */
export function attemptCall(order: CallOrder, rules: CallRules, context: CallContext): Promise<AttemptEnd> {
  return new Promise((resolve, reject) => new Attempt(order, rules, context, resolve, reject).begin());
}

/** A class, not a closure: one is made for every call, and methods on the prototype make that cheap. */
class Attempt implements AbortListener {
  readonly context: CallContext;
  readonly handles: CallHandle[] = [];
  readonly #order: CallOrder;
  readonly #rules: CallRules;
  readonly #abort: Abort;
  readonly #resolve: (end: AttemptEnd) => void;
  readonly #reject: (error: unknown) => void;
  readonly #timer: NodeJS.Timeout;
  #resend: NodeJS.Timeout | undefined;
  /** Which sending was accepted. Those of the others are ignored: they would be the same news twice. */
  accepted: number | undefined = undefined;
  settled = false;
  #sent = 0;
  /** Sendings that may still be run, or run already. */
  #unanswered = 0;
  #refusal: AttemptEnd | undefined;

  constructor(
    order: CallOrder,
    rules: CallRules,
    context: CallContext,
    resolve: (end: AttemptEnd) => void,
    reject: (error: unknown) => void,
  ) {
    this.context = context;
    this.#order = order;
    this.#rules = rules;
    this.#abort = abortOf(context);
    this.#resolve = resolve;
    this.#reject = reject;
    this.#timer = setTimeout(giveUp, Math.max(0, order.deadline - rules.now()), this);
    this.#abort.listen(this);
  }

  begin(): void {
    try {
      this.send();
    } catch (error) {
      if (this.#end()) this.#reject(error);
    }
  }

  send(): void {
    const sending = new Sending(this, this.#sent++);
    this.#unanswered++;
    this.handles.push(this.#rules.bus.send(this.#order, sending));
    if (this.settled || this.accepted !== undefined || this.#refusal !== undefined) return;
    this.#resend = setTimeout(sendAgain, this.#rules.acceptMs, this);
  }

  accept(sending: number): void {
    this.accepted ??= sending;
    clearTimeout(this.#resend);
  }

  take(outcome: CallOutcome, sending: number): void {
    if (outcome.kind === "done" || outcome.kind === "lost") return this.finish(outcome);
    this.#unanswered--;
    if (this.accepted !== undefined && this.accepted !== sending) return;
    if (outcome.kind !== "skipped") this.#refusal = outcome;
    if (this.#refusal === undefined) return;
    clearTimeout(this.#resend);
    // A sending without an answer may still arrive, so a refusal does not mean that the app has not seen the call.
    if (this.#unanswered === 0) this.finish(this.#refusal);
    else this.#resend = setTimeout(lose, answerTimes * this.#rules.acceptMs, this);
  }

  finish(end: AttemptEnd): void {
    if (this.#end()) this.#resolve(end);
  }

  giveUp(): void {
    if (!this.#end()) return;
    this.#rules.count("call timeout");
    for (const handle of this.handles) handle.cancel("The call took too long.");
    this.#resolve(late);
  }

  sendAgain(): void {
    this.#rules.count("call resent");
    this.send();
  }

  /** The caller cancels. */
  handleEvent(): void {
    if (!this.#end()) return;
    const fault = cancelledBy(this.#abort);
    const isCancelled = fault.code === "cancelled";
    for (const handle of this.handles) handle.cancel(isCancelled ? "The caller cancelled the call." : fault.message);
    const detail = { call_id: this.#order.callId };
    this.#reject(isCancelled ? fault : new Fault(fault.code, fault.message, { cause: fault, detail }));
  }

  #end(): boolean {
    if (this.settled) return false;
    this.settled = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#resend);
    this.#abort.unlisten(this);
    return true;
  }
}

class Sending implements CallListener {
  readonly #attempt: Attempt;
  readonly #number: number;

  constructor(attempt: Attempt, number: number) {
    this.#attempt = attempt;
    this.#number = number;
  }

  accepted(): void {
    this.#attempt.accept(this.#number);
  }

  news(news: CallNews): void {
    const { settled, accepted, context, handles } = this.#attempt;
    if (!settled && accepted === this.#number) passOn(news, context, () => handles[this.#number]);
  }

  settled(outcome: CallOutcome): void {
    this.#attempt.take(outcome, this.#number);
  }
}

function giveUp(attempt: Attempt): void {
  attempt.giveUp();
}

function sendAgain(attempt: Attempt): void {
  attempt.sendAgain();
}

function lose(attempt: Attempt): void {
  attempt.finish(lostOutcome);
}

function passOn(news: CallNews, context: CallContext, handle: () => CallHandle | undefined): void {
  switch (news.kind) {
    case "progress":
      return context.progress(news.progress);
    case "log":
      return context.tell(news.line);
    case "question":
      context.ask(news.question).then(
        (answer) => handle()?.answer(news.askId, { answer }),
        (error: unknown) => handle()?.answer(news.askId, { error: messageOf(error) }),
      );
  }
}
