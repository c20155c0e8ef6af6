import { randomBytes } from "node:crypto";
import type { Unsubscribe } from "../../../catalog/source.ts";
import type { Bridge, BridgeOwner } from "../bridge/bridge.ts";
import type { CallRules } from "../call/attempt-call.ts";
import { createIdempotencyCache, type IdempotencyCache } from "../call/idempotency-cache.ts";
import type { MemoryBudget } from "../memory-budget.ts";
import type { SessionRecord, SessionStore } from "../store/session-store.ts";
import { AppSource } from "./app-source.ts";
import type { ToolSet } from "./tool-set.ts";

/** A session that is alive in this process. */
export interface RegisteredSession {
  readonly id: string;
  readonly record: SessionRecord;
  readonly source: AppSource;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
  readonly bridge: Bridge | undefined;
  /** Its time has run out; those who keep it will notice. */
  isOver(): boolean;
  /** It is in use: its life begins anew. */
  touch(): void;
  /** Called once, when the session is over for whatever reason. */
  onEnd(listener: () => void): Unsubscribe;
}

/** What all sessions of a process share. */
export interface SessionRules extends CallRules {
  readonly store: SessionStore;
  readonly budget: MemoryBudget;
}

export interface LiveSessionOptions {
  readonly rules: SessionRules;
  readonly record: SessionRecord;
  readonly toolSet: ToolSet;
  readonly expiresAt: number;
  /** Whether it comes out of the store, and may have had calls before. */
  readonly isRevived: boolean;
}

/**
 * A session as those see it who keep it. A class, not a closure: there are thousands, and functions of their own would
 * push each other out of the processor's cache.
 */
export class LiveSession implements RegisteredSession, BridgeOwner {
  readonly id: string;
  record: SessionRecord;
  readonly source: AppSource;
  expiresAt: number;
  bridge: Bridge | undefined = undefined;
  toolSet: ToolSet;
  /** The last change on its way to the store: the next one waits for it, so that what fails is taken back to what is kept. */
  changing: Promise<unknown> = done;
  readonly #rules: SessionRules;
  #pastCalls: IdempotencyCache | undefined;
  /** When its expiry was last told to the store. */
  #storedAt: number;
  #endListeners: Set<() => void> | undefined;
  readonly #idPrefix: string;
  #calls = 0;

  constructor({ rules, record, toolSet, expiresAt, isRevived }: LiveSessionOptions) {
    this.id = record.id;
    this.record = record;
    this.source = new AppSource(this, toolSet.tools, rules);
    this.expiresAt = expiresAt;
    this.toolSet = toolSet;
    this.#rules = rules;
    this.#storedAt = rules.now();
    this.#idPrefix = isRevived ? `${record.id}:${randomBytes(4).toString("hex")}-` : `${record.id}:`;
  }

  isOver(): boolean {
    return this.expiresAt <= this.#rules.now();
  }

  touch(): void {
    const { now, store } = this.#rules;
    const time = now();
    const { ttlMs } = this.record;
    this.expiresAt = time + ttlMs;
    if (time - this.#storedAt < ttlMs / 4) return;
    this.#storedAt = time;
    store.touch(this.id, this.expiresAt);
  }

  pastCalls(): IdempotencyCache {
    return (this.#pastCalls ??= createIdempotencyCache(this.#rules));
  }

  /**
   * `<session>:1`, `<session>:2`, … An app may remember them across a restart of ours, so a session that was brought
   * back counts under a name of its own and repeats none.
   */
  nextRequestId(): string {
    return `${this.#idPrefix}${++this.#calls}`;
  }

  onEnd(listener: () => void): Unsubscribe {
    const listeners = (this.#endListeners ??= new Set());
    listeners.add(listener);
    return () => listeners.delete(listener);
  }

  /** Nothing uses it any more. */
  end(): void {
    this.#pastCalls?.clear();
    for (const listener of this.#endListeners ?? []) listener();
    this.#endListeners?.clear();
  }
}

const done = Promise.resolve();

/** A name nobody can guess, safe in a path, a header and a subject of a message bus. */
export function makeSessionId(): string {
  return randomBytes(16).toString("base64url");
}

export const sessionIdShape = /^[A-Za-z0-9_-]{22}$/;

export const sessionTokenShape = /^[A-Za-z0-9_-]{32}$/;

/** Its characters have to pass in a WebSocket subprotocol. */
export function makeSessionToken(): string {
  return randomBytes(24).toString("base64url");
}
