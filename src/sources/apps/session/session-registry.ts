import type { Unsubscribe } from "../../../catalog/source.ts";
import type { Log } from "../../../core/log.ts";
import { hashToken } from "../../../core/secrets/crypto.ts";
import type { CountEvent } from "../app-event.ts";
import type { BridgeSocket } from "../bridge/bridge-socket.ts";
import { Bridge } from "../bridge/bridge.ts";
import type { CallBus } from "../call/call-bus.ts";
import { createDefinitionQuota, type MemoryBudget } from "../memory-budget.ts";
import type { SessionRecord, SessionStore } from "../store/session-store.ts";
import {
  type LiveSession,
  makeSessionId,
  makeSessionToken,
  type RegisteredSession,
  type SessionRules,
} from "./live-session.ts";
import { openLoadedSessions } from "./loaded-sessions.ts";
import { moveBridges } from "./move-bridges.ts";
import type { SessionRequest } from "./session-request.ts";
import type { ToolSet } from "./tool-set.ts";

export interface SessionRegistryOptions {
  readonly store: SessionStore;
  readonly bus: CallBus;
  readonly ttlMs: number;
  readonly timeoutMs: number;
  readonly graceMs: number;
  readonly budget: MemoryBudget;
  readonly count: CountEvent;
  readonly log: Log;
  readonly now?: () => number;
}

export interface CreatedSession {
  readonly session: RegisteredSession;
  /** Both tokens are given to the app only once; the store has their hashes. */
  readonly bridgeToken: string;
  readonly mcpToken: string;
}

/** All app sessions of this process. */
export interface SessionRegistry {
  create(request: SessionRequest): Promise<CreatedSession>;
  /** undefined if it is unknown or has expired. A promise only while it is loaded from the store. */
  find(id: string): RegisteredSession | undefined | Promise<RegisteredSession | undefined>;
  list(): readonly RegisteredSession[];
  replaceTools(id: string, toolSet: ToolSet): Promise<void>;
  /** From now on only the session's own token opens its bridge. */
  closeBridgeToOthers(id: string): Promise<void>;
  /** Returns false if there was none. */
  remove(id: string): Promise<boolean>;
  /** Before an app learns that it is connected: calls at other instances wait for its bridge from now on. */
  expectBridge(session: RegisteredSession): Promise<void>;
  openBridge(session: RegisteredSession, socket: BridgeSocket): Promise<Bridge>;
  /** Called with a session whenever its bridge connects or disconnects. */
  onBridgeChange(listener: (session: RegisteredSession) => void): Unsubscribe;
  /** Ends the sessions that have expired. */
  sweep(): void;
  /** Sends a heartbeat over every bridge. */
  beat(): void;
  /** Asks the apps, one after the other, to connect to another instance, once their calls are done. */
  moveBridges(withinMs: number): Promise<void>;
  /** Closes the bridges; the sessions stay in the store. */
  close(): void;
}

/** The longest time to live that an app may request, unless the default is longer. */
const maxTtlMs = 86_400_000;
/** How long an app may take from the announcement of its bridge until calls reach it. */
const arrivalMs = 3000;
/** A call that was not accepted within this time is sent again. */
const acceptMs = 400;

export async function openSessionRegistry(options: SessionRegistryOptions): Promise<SessionRegistry> {
  const { store, bus, ttlMs, timeoutMs, graceMs, budget, count, log, now = Date.now } = options;
  const rules: SessionRules = { bus, store, budget, timeoutMs, graceMs, acceptMs, now, count };
  const quota = createDefinitionQuota(budget, count);
  const loaded = await openLoadedSessions({ rules, quota, log });
  const bridgeListeners = new Set<(session: RegisteredSession) => void>();

  return {
    async create(request) {
      const bridgeToken = makeSessionToken();
      const mcpToken = makeSessionToken();
      const requestedTtlMs = request.ttlSeconds === undefined ? ttlMs : request.ttlSeconds * 1000;
      const record: SessionRecord = {
        id: makeSessionId(),
        deviceId: request.deviceId,
        deviceName: request.deviceName,
        appVersion: request.appVersion,
        chatId: request.chatId,
        tools: request.toolSet.raw,
        createdAt: now(),
        ttlMs: Math.min(requestedTtlMs, Math.max(maxTtlMs, ttlMs)),
        bridgeTokenHash: hashToken(bridgeToken),
        mcpTokenHash: hashToken(mcpToken),
        ownTokens: request.ownTokensOnly ? "all" : "none",
      };
      const session = loaded.add(record, request.toolSet);
      try {
        await store.put(record, session.expiresAt);
      } catch (error) {
        loaded.end(session, "deleted");
        throw error;
      }
      count("session created");
      return { session, bridgeToken, mcpToken };
    },
    find: loaded.find,
    list: () => loaded.all().filter((session) => !session.isExpired()),
    replaceTools: (id, toolSet) =>
      changeInTurn(id, async (session) => {
        const before = session.toolSet;
        quota.reserve(toolSet.bytes - before.bytes);
        session.toolSet = toolSet;
        try {
          await save(session, { tools: toolSet.raw });
        } catch (error) {
          // A session that has ended meanwhile has given back its definitions.
          if (loaded.get(id) === session) {
            session.toolSet = before;
            quota.give(toolSet.bytes - before.bytes);
          }
          throw error;
        }
        session.source.replace(toolSet.tools);
      }),
    closeBridgeToOthers: (id) =>
      changeInTurn(id, async (session) => {
        if (session.record.ownTokens === "none") await save(session, { ownTokens: "bridge" });
      }),
    async remove(id) {
      const session = loaded.get(id);
      if (session) loaded.end(session, "deleted");
      const existed = await store.remove(id);
      if (existed) count("session deleted");
      return existed;
    },
    async expectBridge({ id }) {
      if (!bus.isReliable)
        await bus
          .expectHolder(id, arrivalMs)
          .catch((error: unknown) => log.warn("a bridge was not announced", { error }));
    },
    async openBridge(session, socket) {
      const owner = loaded.require(session.id);
      const bridge: Bridge = new Bridge({ owner, socket, budget, count, now, onGone });
      // Set before the old bridge is evicted: its `onGone` must not take this one for gone.
      owner.bridge = bridge;
      owner.touch();
      const held = bus.hold(owner.id, bridge);
      const releaseHeld = await held;
      if (owner.bridge === bridge) owner.releaseBridge = releaseHeld;
      count("bridge connected");
      notifyBridgeChange(owner);
      return bridge;

      function onGone(): void {
        count("bridge lost");
        held.then(
          (release) => release(),
          () => {},
        );
        if (owner.bridge !== bridge) return;
        owner.bridge = undefined;
        notifyBridgeChange(owner);
      }
    },
    onBridgeChange(listener) {
      bridgeListeners.add(listener);
      return () => bridgeListeners.delete(listener);
    },
    sweep: loaded.sweep,
    beat() {
      for (const session of loaded.all()) session.bridge?.beat();
    },
    moveBridges: (withinMs) => moveBridges(loaded.all(), { bus, log, withinMs }),
    close: loaded.close,
  };

  /** Runs one change of a session at a time. */
  async function changeInTurn(id: string, change: (session: LiveSession) => Promise<void>): Promise<void> {
    const session = loaded.require(id);
    const changed = session.lastChange.then(() => change(loaded.require(id)));
    session.lastChange = changed.catch(() => {});
    return changed;
  }

  /** The change is active at once, and undone if it can't be stored. */
  async function save(session: LiveSession, change: Partial<SessionRecord>): Promise<void> {
    const before = session.record;
    session.record = { ...before, ...change };
    try {
      await store.put(session.record, session.expiresAt);
    } catch (error) {
      session.record = before;
      throw error;
    }
  }

  function notifyBridgeChange(session: RegisteredSession): void {
    for (const listener of bridgeListeners) listener(session);
  }
}
