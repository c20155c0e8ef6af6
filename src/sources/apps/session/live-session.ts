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
  /** Whether its time has run out, even if the registry has not removed it yet. */
  isExpired(): boolean;
  /** The session is in use: its time to live starts again. */
  touch(): void;
  /** Called once, when the session ends for whatever reason. */
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
  /** Whether it was loaded from the store, and may have had calls before. */
  readonly isRevived: boolean;
}

/**
 * A session as the registry sees it. A class, not a closure: there are thousands, and functions of their own would push
 * each other out of the processor's cache.
 */
export class LiveSession implements RegisteredSession, BridgeOwner {
  readonly id: string;
  record: SessionRecord;
  readonly source: AppSource;
  expiresAt: number;
  bridge: Bridge | undefined = undefined;
  /** Takes the bridge off the bus: it gets no more calls. */
  releaseBridge: (() => void) | undefined = undefined;
  toolSet: ToolSet;
  /** The last change that is being stored. The next one waits for it, so that a failed change is undone correctly. */
  lastChange: Promise<unknown> = noChange;
  readonly #rules: SessionRules;
  #pastCalls: IdempotencyCache | undefined;
  /** When its expiry was last stored. */
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

  isExpired(): boolean {
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

  idleMs(): number {
    return this.#rules.now() - (this.expiresAt - this.record.ttlMs);
  }

  pastCalls(): IdempotencyCache {
    return (this.#pastCalls ??= createIdempotencyCache(this.#rules));
  }

  /**
   * `<session>:1`, `<session>:2`, … An app may remember ids across a restart of the proxy, so a session that was loaded
   * from the store adds a random part to them and repeats none.
   */
  nextRequestId(): string {
    return `${this.#idPrefix}${++this.#calls}`;
  }

  onEnd(listener: () => void): Unsubscribe {
    const listeners = (this.#endListeners ??= new Set());
    listeners.add(listener);
    return () => listeners.delete(listener);
  }

  end(): void {
    this.#pastCalls?.clear();
    for (const listener of this.#endListeners ?? []) listener();
    this.#endListeners?.clear();
  }
}

const noChange = Promise.resolve();

/** An id that can't be guessed, and is safe in a path, a header and a subject of a message bus. */
export function makeSessionId(): string {
  return randomBytes(16).toString("base64url");
}

export const sessionIdShape = /^[A-Za-z0-9_-]{22}$/;

/** Its characters must be allowed in a WebSocket subprotocol. */
export function makeSessionToken(): string {
  return randomBytes(24).toString("base64url");
}

export const sessionTokenShape = /^[A-Za-z0-9_-]{32}$/;
