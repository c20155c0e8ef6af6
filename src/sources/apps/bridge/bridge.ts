import { hash } from "node:crypto";
import type { CountEvent } from "../app-event.ts";
import {
  type AskAnswer,
  type BridgeHolder,
  busyOutcome,
  type CallHandle,
  type CallListener,
  type CallNews,
  type CallOrder,
  type CallOutcome,
  keyConflictOutcome,
  lostOutcome,
  lostOutcomeOf,
  noHolderOutcome,
  unsentOutcome,
} from "../call/call-bus.ts";
import type { IdempotencyCache } from "../call/idempotency-cache.ts";
import { type MemoryBudget, smallPiece } from "../memory-budget.ts";
import { type AppResult, readAppMessage } from "./app-message.ts";
import { readAppResult } from "./app-result.ts";
import { judgeCallOrder, MessageQuota, mostUnsent } from "./bridge-limits.ts";
import { type BridgeSocket, closeCodes, type CloseReason, writeAtTurnEnd, type WriteTarget } from "./bridge-socket.ts";
import { type CallRunner, type RunningCall, RunningHandle } from "./running-call.ts";

/** The session that a bridge belongs to. */
export interface BridgeOwner {
  readonly id: string;
  /** What became of its calls, for those that may come again. */
  memory(): IdempotencyCache;
  /** Never the same twice in the life of a session. */
  nextRequestId(): string;
  /** The app has shown that it lives. */
  touch(): void;
}

export interface BridgeOptions {
  readonly owner: BridgeOwner;
  readonly socket: BridgeSocket;
  readonly budget: MemoryBudget;
  readonly count: CountEvent;
  readonly now: () => number;
  /** Called once, when nothing more goes over it. */
  onGone(): void;
}

/**
 * One connection of an app: calls go out, results come in. A class, not a closure: thousands are open, and functions of
 * their own would push each other out of the processor's cache.
 */
export class Bridge implements BridgeHolder, CallRunner, WriteTarget {
  readonly socket: BridgeSocket;
  readonly budget: MemoryBudget;
  readonly #owner: BridgeOwner;
  readonly #count: CountEvent;
  readonly #now: () => number;
  readonly #onGone: () => void;
  /** Few at a time, as `judgeOrder` says: looking through them is cheaper than an index. */
  readonly #running: RunningCall[] = [];
  readonly #chatter = new MessageQuota();
  #open = true;
  #closedFor: CloseReason | undefined;
  #alive = true;

  constructor({ owner, socket, budget, count, now, onGone }: BridgeOptions) {
    this.socket = socket;
    this.budget = budget;
    this.#owner = owner;
    this.#count = count;
    this.#now = now;
    this.#onGone = onGone;
  }

  get inFlight(): number {
    return this.#running.length;
  }

  get isOpen(): boolean {
    return this.#open && this.socket.isOpen();
  }

  receive(order: CallOrder, listener: CallListener): CallHandle {
    // Its closing may take the app a while; nobody has to wait for that.
    if (!this.socket.isOpen()) this.gone();
    const args = JSON.stringify(order.args ?? {});
    if (!order.mayRepeat) return this.#begin(order, args, undefined, listener);
    const fingerprint = hash("sha256", args);
    const under = this.#running.find((each) => each.order.callId === order.callId);
    if (under) {
      if (under.fingerprint !== fingerprint) return this.#settleAtOnce(listener, keyConflictOutcome);
      under.listeners.push(listener);
      listener.accepted();
      return new RunningHandle(this, under, listener);
    }
    const memory = this.#owner.memory();
    const known = memory.recall(order.callId);
    if (known === undefined) {
      if (memory.hasRoom()) return this.#begin(order, args, fingerprint, listener);
      const why = "Too many calls with a key were made here of late. Try again in a minute.";
      return this.#settleAtOnce(listener, busyOutcome(why));
    }
    if (known.fingerprint !== fingerprint) return this.#settleAtOnce(listener, keyConflictOutcome);
    listener.accepted();
    return this.#settleAtOnce(listener, known.outcome);
  }

  /** Takes a message of the app. */
  take(text: string): void {
    if (!this.#open) return;
    this.pong();
    try {
      this.#understand(text);
    } catch (error) {
      // JSON is read at any depth, but written only as deep as the stack goes.
      if (!(error instanceof RangeError)) throw error;
      this.#count("malformed message");
      this.close("malformed", "a message is nested too deep");
    }
  }

  /** The socket answered a ping of its own, or a part of a large message came. */
  pong(): void {
    this.#alive = true;
    this.#owner.touch();
  }

  /** Once per interval: an app that gave no sign of life since the last one is given up. */
  beat(): void {
    if (!this.#alive) return this.#giveUp("bridge dead");
    this.#alive = false;
    this.#chatter.beginBeat();
    if (!this.socket.isOpen()) return;
    if (this.socket.bufferedAmount > mostUnsent) return this.#giveUp("slow reader");
    this.socket.ping();
    this.#tell({ type: "ping", mcpSessionId: this.#owner.id });
  }

  evict(): void {
    this.#count("bridge replaced");
    this.close("replaced");
  }

  /** There is no room for what waits to be written. */
  onOverload(): void {
    this.#count("refused for memory");
    this.close("overloaded");
  }

  close(reason: CloseReason, said?: string): void {
    if (!this.#open) return;
    this.#closedFor = reason;
    const [code, text] = closeCodes[reason];
    // A goodbye goes behind what is half written: that would still reach the app after its call was given up.
    if (this.socket.bufferedAmount > 0 && this.#running.some(({ sent }) => !sent)) {
      this.socket.terminate();
    } else this.socket.close(code, said === undefined ? text : `${text}: ${said}`.slice(0, 120));
    this.gone();
  }

  /** The socket is closed: whatever was under way is settled with what is known. */
  gone(): void {
    if (!this.#open) return;
    this.#open = false;
    for (const entry of this.#running.splice(0)) {
      this.budget.give(entry.bytes);
      if (entry.sent === undefined) entry.orphaned = true;
      else this.#settleLost(entry);
    }
    this.#onGone();
  }

  cancel(entry: RunningCall, listener: CallListener, reason: string): void {
    if (!this.#running.includes(entry) || !entry.listeners.includes(listener)) return;
    entry.listeners = entry.listeners.filter((each) => each !== listener);
    if (entry.listeners.length > 0) return;
    this.#tell({ type: "cancel_tool", mcpSessionId: this.#owner.id, request_id: entry.requestId, reason });
    // It may come back with the same id, and what the app did is not known until it says so.
    this.#remember(entry, lostOutcome, 0);
    this.#finish(entry);
  }

  answer(entry: RunningCall, askId: string, answer: AskAnswer): void {
    if (!this.#running.includes(entry)) return;
    const ids = { mcpSessionId: this.#owner.id, request_id: entry.requestId, ask_id: askId };
    this.#tell({ type: "ask_answer", ...ids, ok: "answer" in answer, ...answer });
  }

  #begin(order: CallOrder, args: string, fingerprint: string | undefined, listener: CallListener): CallHandle {
    if (!this.#open) return this.#settleAtOnce(listener, noHolderOutcome);
    const unsent = this.socket.bufferedAmount;
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
    if (!this.budget.take(bytes)) {
      this.#count("refused for memory");
      return this.#settleAtOnce(
        listener,
        busyOutcome("The proxy holds as much as it may already. Try again in a moment."),
      );
    }
    const requestId = this.#owner.nextRequestId();
    const listeners = [listener];
    const entry: RunningCall = { requestId, order, fingerprint, listeners, bytes, sent: undefined, orphaned: false };
    this.#running.push(entry);
    listener.accepted();
    // The ids are ours and need no escaping.
    const text = `{"type":"invoke_tool","mcpSessionId":"${this.#owner.id}","request_id":"${requestId}"${tail}`;
    writeAtTurnEnd(this, text, (error) => {
      entry.sent ||= !error;
      if (entry.orphaned) this.#settleLost(entry);
    });
    return new RunningHandle(this, entry, listener);
  }

  #understand(text: string): void {
    const message = readAppMessage(text, this.#owner.id);
    if (message.type === "result") return this.#settle(message, text.length);
    if (this.#chatter.note(text.length)) {
      this.#count("flood");
      return this.close("flooding");
    }
    switch (message.type) {
      case "malformed":
        this.#count("malformed message");
        return this.close("malformed", message.why);
      case "ignored":
        return this.#count("ignored message");
      case "ping":
        return this.#tell({ type: "pong", mcpSessionId: this.#owner.id });
      case "pong":
        return;
      case "news":
        return this.#passOn(message.requestId, message.news);
    }
  }

  #settle(message: AppResult, bytes: number): void {
    const entry = this.#find(message.requestId);
    if (!entry) {
      this.#chatter.note(0);
      return this.#count("late result");
    }
    const outcome: CallOutcome = { kind: "done", result: readAppResult(message) };
    this.#remember(entry, outcome, bytes);
    this.#finish(entry);
    for (const listener of entry.listeners) listener.settled(outcome);
  }

  #passOn(requestId: string, news: CallNews): void {
    const entry = this.#find(requestId);
    if (!entry) return this.#count("late result");
    for (const listener of entry.listeners) {
      listener.news(news);
      // One caller answers; the others only wait for the result.
      if (news.kind === "question") return;
    }
  }

  #find(requestId: string): RunningCall | undefined {
    return this.#running.find((each) => each.requestId === requestId);
  }

  #finish(entry: RunningCall): void {
    const at = this.#running.indexOf(entry);
    if (at < 0) return;
    this.#running.splice(at, 1);
    this.budget.give(entry.bytes);
  }

  #giveUp(why: "bridge dead" | "slow reader"): void {
    this.#count(why);
    this.socket.terminate();
    this.gone();
  }

  #settleLost(entry: RunningCall): void {
    const outcome = entry.sent ? lostOutcomeOf(this.#closedFor) : unsentOutcome;
    if (entry.sent) {
      this.#count("outcome unknown");
      this.#remember(entry, outcome, 0);
    }
    for (const listener of entry.listeners) listener.settled(outcome);
  }

  #remember({ order, fingerprint }: RunningCall, outcome: CallOutcome, bytes: number): void {
    if (fingerprint !== undefined) this.#owner.memory().remember(order.callId, { fingerprint, outcome, bytes });
  }

  #tell(message: Readonly<Record<string, unknown>>): void {
    if (this.isOpen) writeAtTurnEnd(this, JSON.stringify(message), () => {});
  }
}

const settledHandle: CallHandle = { cancel() {}, answer() {} };
