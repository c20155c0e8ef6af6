import type { CountEvent } from "../app-event.ts";
import type { BridgeHolder, CallHandle, CallListener, CallOrder } from "../call/call-bus.ts";
import type { MemoryBudget } from "../memory-budget.ts";
import { readAppMessage } from "./app-message.ts";
import { MessageQuota, maxUnsent } from "./bridge-limits.ts";
import { type BridgeSocket, closeCodes, type CloseReason, sendMessage, type WriteTarget } from "./bridge-socket.ts";
import { type CallOwner, RunningCalls } from "./running-calls.ts";

/** The session that a bridge belongs to. */
export interface BridgeOwner extends CallOwner {
  /** The app has shown that it is alive. */
  touch(): void;
}

export interface BridgeOptions {
  readonly owner: BridgeOwner;
  readonly socket: BridgeSocket;
  readonly budget: MemoryBudget;
  readonly count: CountEvent;
  readonly now: () => number;
  /** Called once, when nothing more goes over the bridge. */
  onGone(): void;
}

/**
 * One connection of an app: calls go out, results come in. A class, not a closure: thousands are open, and functions of
 * their own would push each other out of the processor's cache.
 */
export class Bridge implements BridgeHolder, WriteTarget {
  readonly socket: BridgeSocket;
  readonly budget: MemoryBudget;
  readonly #owner: BridgeOwner;
  readonly #count: CountEvent;
  readonly #onGone: () => void;
  readonly #calls: RunningCalls;
  readonly #messageQuota = new MessageQuota();
  #open = true;
  #closedFor: CloseReason | undefined;
  #alive = true;

  constructor({ owner, socket, budget, count, now, onGone }: BridgeOptions) {
    this.socket = socket;
    this.budget = budget;
    this.#owner = owner;
    this.#count = count;
    this.#onGone = onGone;
    this.#calls = new RunningCalls({ owner, target: this, count, now });
  }

  get inFlight(): number {
    return this.#calls.size;
  }

  get isOpen(): boolean {
    return this.#open && this.socket.isOpen();
  }

  receive(order: CallOrder, listener: CallListener): CallHandle {
    // The app may take a while to close its socket; a caller does not have to wait for that.
    if (!this.socket.isOpen()) this.gone();
    return this.#calls.receive(order, listener);
  }

  /** Handles a message of the app. */
  receiveMessage(text: string): void {
    if (!this.#open) return;
    this.markAlive();
    try {
      this.#handle(text);
    } catch (error) {
      // JSON is read at any depth, but written only as deep as the stack goes.
      if (!(error instanceof RangeError)) throw error;
      this.#count("malformed message");
      this.close("malformed", "a message is nested too deep");
    }
  }

  /** The socket answered a ping of its own, or part of a large message arrived. */
  markAlive(): void {
    this.#alive = true;
    this.#owner.touch();
  }

  /** One heartbeat: disconnects an app that has shown no sign of life since the last one. */
  beat(): void {
    if (!this.#alive) return this.#giveUp("bridge dead");
    this.#alive = false;
    this.#messageQuota.reset();
    if (!this.socket.isOpen()) return;
    if (this.socket.bufferedAmount > maxUnsent) return this.#giveUp("slow reader");
    this.socket.ping();
    sendMessage(this, { type: "ping", mcpSessionId: this.#owner.id });
  }

  evict(): void {
    this.#count("bridge replaced");
    this.close("replaced");
  }

  onOverload(): void {
    this.#count("refused for memory");
    this.close("overloaded");
  }

  close(reason: CloseReason, detail?: string): void {
    if (!this.#open) return;
    this.#closedFor = reason;
    const [code, text] = closeCodes[reason];
    // A close frame goes behind what is half written, which would then reach the app after its call was given up.
    if (this.socket.bufferedAmount > 0 && this.#calls.hasUnsent()) this.socket.terminate();
    else this.socket.close(code, detail === undefined ? text : `${text}: ${detail}`.slice(0, 120));
    this.gone();
  }

  /** The socket is closed. */
  gone(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#calls.loseAll(this.#closedFor);
    this.#onGone();
  }

  #handle(text: string): void {
    const message = readAppMessage(text, this.#owner.id);
    if (message.type === "result") {
      if (this.#calls.settle(message, text.length)) return;
      this.#messageQuota.add(0);
      return this.#count("late result");
    }
    if (this.#messageQuota.add(text.length)) {
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
        return sendMessage(this, { type: "pong", mcpSessionId: this.#owner.id });
      case "pong":
        return;
      case "news":
        if (!this.#calls.passOn(message.requestId, message.news)) this.#count("late result");
    }
  }

  #giveUp(why: "bridge dead" | "slow reader"): void {
    this.#count(why);
    this.socket.terminate();
    this.gone();
  }
}
