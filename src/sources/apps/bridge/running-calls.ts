import { hash } from "node:crypto";
import type { CountEvent } from "../app-event.ts";
import {
  type AskAnswer,
  busyOutcome,
  type CallHandle,
  type CallListener,
  type CallNews,
  type CallOrder,
  type CallOutcome,
  keyConflictOutcome,
  lostOutcome,
  noHolderOutcome,
  settledHandle,
  unsentOutcome,
} from "../call/call-bus.ts";
import type { IdempotencyCache } from "../call/idempotency-cache.ts";
import { memoryLimitMessage, smallPiece } from "../memory-budget.ts";
import type { AppResult } from "./app-message.ts";
import { readAppResult } from "./app-result.ts";
import { judgeCallOrder } from "./bridge-limits.ts";
import { type CloseReason, sendMessage, writeAtTurnEnd, type WriteTarget } from "./bridge-socket.ts";

/** The session whose calls these are. */
export interface CallOwner {
  readonly id: string;
  /** The outcomes of calls that may come again. */
  pastCalls(): IdempotencyCache;
  /** Never the same twice in the life of a session. */
  nextRequestId(): string;
}

export interface RunningCallsOptions {
  readonly owner: CallOwner;
  readonly target: WriteTarget;
  readonly count: CountEvent;
  readonly now: () => number;
}

/** A call that the app has to run. */
interface RunningCall {
  readonly requestId: string;
  readonly order: CallOrder;
  /** Hash of the arguments, if the call may come again. */
  readonly fingerprint: string | undefined;
  listeners: CallListener[];
  /** Counted in the budget while the call runs. */
  readonly bytes: number;
  /** Whether all of it may have reached the app; undefined until it was written, or could not be. */
  sent: boolean | undefined;
  /** Whether the bridge was lost before that was known. */
  orphaned: boolean;
}

/** The calls that one bridge has sent to its app. A class, not a closure: there is one for every bridge. */
export class RunningCalls {
  /** Few at a time, see `judgeCallOrder`: a search is cheaper than an index. */
  readonly #running: RunningCall[] = [];
  readonly #owner: CallOwner;
  readonly #target: WriteTarget;
  readonly #count: CountEvent;
  readonly #now: () => number;
  #isLost = false;
  #lostFor: CloseReason | undefined;

  constructor({ owner, target, count, now }: RunningCallsOptions) {
    this.#owner = owner;
    this.#target = target;
    this.#count = count;
    this.#now = now;
  }

  get size(): number {
    return this.#running.length;
  }

  /** Whether a call has not left yet, or only in part. */
  hasUnsent(): boolean {
    return this.#running.some(({ sent }) => !sent);
  }

  receive(order: CallOrder, listener: CallListener): CallHandle {
    const args = JSON.stringify(order.args ?? {});
    if (!order.mayRepeat) return this.#begin(order, args, undefined, listener);
    const fingerprint = hash("sha256", args);
    const running = this.#running.find((each) => each.order.callId === order.callId);
    if (running) {
      if (running.fingerprint !== fingerprint) return this.#settleAtOnce(listener, keyConflictOutcome);
      running.listeners.push(listener);
      listener.accepted();
      return new RunningHandle(this, running, listener);
    }
    const pastCalls = this.#owner.pastCalls();
    const past = pastCalls.recall(order.callId);
    if (past === undefined) {
      if (pastCalls.hasRoom()) return this.#begin(order, args, fingerprint, listener);
      const why = "Too many calls with a key were made recently. Try again in a minute.";
      return this.#settleAtOnce(listener, busyOutcome(why));
    }
    if (past.fingerprint !== fingerprint) return this.#settleAtOnce(listener, keyConflictOutcome);
    listener.accepted();
    return this.#settleAtOnce(listener, past.outcome);
  }

  /** Ends a call with the result of the app. Returns false if no such call is running. */
  settle(message: AppResult, bytes: number): boolean {
    const call = this.#find(message.requestId);
    if (!call) return false;
    const outcome: CallOutcome = { kind: "done", result: readAppResult(message) };
    this.#remember(call, outcome, bytes);
    this.#finish(call);
    for (const listener of call.listeners) listener.settled(outcome);
    return true;
  }

  /** Passes on what the app says about a call. Returns false if no such call is running. */
  passOn(requestId: string, news: CallNews): boolean {
    const call = this.#find(requestId);
    if (!call) return false;
    for (const listener of call.listeners) {
      listener.news(news);
      // One caller answers; the others only wait for the result.
      if (news.kind === "question") break;
    }
    return true;
  }

  /** This listener no longer waits. */
  cancel(call: RunningCall, listener: CallListener, reason: string): void {
    if (!this.#running.includes(call) || !call.listeners.includes(listener)) return;
    call.listeners = call.listeners.filter((each) => each !== listener);
    if (call.listeners.length > 0) return;
    const ids = { mcpSessionId: this.#owner.id, request_id: call.requestId };
    sendMessage(this.#target, { type: "cancel_tool", ...ids, reason });
    // The call may come again under the same id, and it is unknown what the app did.
    this.#remember(call, lostOutcome, 0);
    this.#finish(call);
  }

  /** Answers a question that the app asked about this call. */
  answer(call: RunningCall, askId: string, answer: AskAnswer): void {
    if (!this.#running.includes(call)) return;
    const ids = { mcpSessionId: this.#owner.id, request_id: call.requestId, ask_id: askId };
    sendMessage(this.#target, { type: "ask_answer", ...ids, ok: "answer" in answer, ...answer });
  }

  /** The bridge is gone, closed for this reason if there is one: settles each call with what is known about it. */
  loseAll(reason: CloseReason | undefined): void {
    this.#isLost = true;
    this.#lostFor = reason;
    for (const call of this.#running.splice(0)) {
      this.#target.budget.give(call.bytes);
      if (call.sent === undefined) call.orphaned = true;
      else this.#settleLost(call);
    }
  }

  #begin(order: CallOrder, args: string, fingerprint: string | undefined, listener: CallListener): CallHandle {
    if (this.#isLost) return this.#settleAtOnce(listener, noHolderOutcome);
    const unsent = this.#target.socket.bufferedAmount;
    const verdict = judgeCallOrder({ inFlight: this.#running.length, unsent, left: order.deadline - this.#now() });
    return verdict ? this.#settleAtOnce(listener, verdict) : this.#execute(order, args, fingerprint, listener);
  }

  #settleAtOnce(listener: CallListener, outcome: CallOutcome): CallHandle {
    if (outcome.kind === "refused") this.#count("refused call");
    listener.settled(outcome);
    return settledHandle;
  }

  #execute(order: CallOrder, args: string, fingerprint: string | undefined, listener: CallListener): CallHandle {
    const tail = `,"tool_name":${JSON.stringify(order.tool)},"arguments":${args}}`;
    const bytes = tail.length > smallPiece ? tail.length : 0;
    if (!this.#target.budget.take(bytes)) {
      this.#count("refused for memory");
      return this.#settleAtOnce(listener, busyOutcome(memoryLimitMessage));
    }
    const requestId = this.#owner.nextRequestId();
    const listeners = [listener];
    const call: RunningCall = { requestId, order, fingerprint, listeners, bytes, sent: undefined, orphaned: false };
    this.#running.push(call);
    listener.accepted();
    // The proxy makes both ids; they need no escaping.
    const text = `{"type":"invoke_tool","mcpSessionId":"${this.#owner.id}","request_id":"${requestId}"${tail}`;
    writeAtTurnEnd(this.#target, text, (error) => {
      call.sent ||= !error;
      if (call.orphaned) this.#settleLost(call);
    });
    return new RunningHandle(this, call, listener);
  }

  #find(requestId: string): RunningCall | undefined {
    return this.#running.find((each) => each.requestId === requestId);
  }

  #finish(call: RunningCall): void {
    const at = this.#running.indexOf(call);
    if (at < 0) return;
    this.#running.splice(at, 1);
    this.#target.budget.give(call.bytes);
  }

  #settleLost(call: RunningCall): void {
    const outcome = call.sent ? lostOutcomeOf(this.#lostFor) : unsentOutcome;
    if (call.sent) {
      this.#count("outcome unknown");
      this.#remember(call, outcome, 0);
    }
    for (const listener of call.listeners) listener.settled(outcome);
  }

  #remember({ order, fingerprint }: RunningCall, outcome: CallOutcome, bytes: number): void {
    if (fingerprint !== undefined) this.#owner.pastCalls().remember(order.callId, { fingerprint, outcome, bytes });
  }
}

/** One listener's handle on a call. A class, not a closure: one is made for every call. */
class RunningHandle implements CallHandle {
  readonly #calls: RunningCalls;
  readonly #call: RunningCall;
  readonly #listener: CallListener;

  constructor(calls: RunningCalls, call: RunningCall, listener: CallListener) {
    this.#calls = calls;
    this.#call = call;
    this.#listener = listener;
  }

  cancel(reason: string): void {
    this.#calls.cancel(this.#call, this.#listener, reason);
  }

  answer(askId: string, answer: AskAnswer): void {
    this.#calls.answer(this.#call, askId, answer);
  }
}

function lostOutcomeOf(reason: CloseReason | undefined): CallOutcome {
  return reason === "deleted" || reason === "expired" ? { kind: "lost", session: reason } : lostOutcome;
}
