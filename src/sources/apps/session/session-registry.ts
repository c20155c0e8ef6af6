import type { Unsubscribe } from "../../../catalog/source.ts";
import { Fault } from "../../../core/fault.ts";
import type { Log } from "../../../core/log.ts";
import { hashToken } from "../../../core/secrets/crypto.ts";
import type { CountEvent } from "../app-event.ts";
import type { BridgeSocket, CloseReason } from "../bridge/bridge-socket.ts";
import { Bridge } from "../bridge/bridge.ts";
import type { CallBus } from "../call/call-bus.ts";
import { createDefinitionQuota, type MemoryBudget } from "../memory-budget.ts";
import type { SessionRecord, SessionStore, StoredSession } from "../store/session-store.ts";
import {
  LiveSession,
  makeSessionId,
  makeSessionToken,
  type RegisteredSession,
  sessionIdShape,
  type SessionRules,
} from "./live-session.ts";
import { moveBridges } from "./move-bridges.ts";
import type { SessionRequest } from "./session-request.ts";
import { parseToolSet, type ToolSet } from "./tool-set.ts";

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
const mostTtlMs = 86_400_000;
const mostSessions = 20_000;
/** How long an app may take from the announcement of its bridge until calls reach it. */
const arrivalMs = 3000;
/** A call that was not accepted within this time is sent again. */
const acceptMs = 400;
/** With many instances, how long a session without a bridge here stays in memory after its last use. */
const forgetMs = 300_000;

export async function openSessionRegistry(options: SessionRegistryOptions): Promise<SessionRegistry> {
  const { store, bus, ttlMs, timeoutMs, graceMs, budget, count, log, now = Date.now } = options;
  const rules: SessionRules = { bus, store, budget, timeoutMs, graceMs, acceptMs, now, count };
  const definitionQuota = createDefinitionQuota(budget, count);
  const bridgeListeners = new Set<(session: RegisteredSession) => void>();
  const live = new Map<string, LiveSession>();
  // With many instances each loads the sessions that it meets, and hears what the others do to them.
  if (!store.isShared) await Promise.all((await store.all()).map(revive));
  const stopWatching = await store.watch(({ kind, id }) => {
    const session = live.get(id);
    if (session === undefined) return;
    if (kind === "removed") return end(session, session.isExpired() ? "expired" : "deleted");
    refresh(session).catch((error: unknown) => log.warn("a changed session could not be loaded", { error }));
  });

  return {
    async create(request) {
      if (live.size >= mostSessions && !forgetOne()) {
        throw new Fault("busy", `The limit of ${mostSessions} sessions is reached. Delete some, or try again later.`);
      }
      const bridgeToken = makeSessionToken();
      const mcpToken = makeSessionToken();
      const createdAt = now();
      const requestedTtlMs = request.ttlSeconds === undefined ? ttlMs : request.ttlSeconds * 1000;
      const record: SessionRecord = {
        id: makeSessionId(),
        deviceId: request.deviceId,
        deviceName: request.deviceName,
        appVersion: request.appVersion,
        chatId: request.chatId,
        tools: request.toolSet.raw,
        createdAt,
        ttlMs: Math.min(requestedTtlMs, Math.max(mostTtlMs, ttlMs)),
        bridgeTokenHash: hashToken(bridgeToken),
        mcpTokenHash: hashToken(mcpToken),
        ownTokens: request.ownTokensOnly ? "all" : "none",
      };
      reserveDefinitions(request.toolSet.bytes);
      const session = addLive(record, request.toolSet, createdAt + record.ttlMs, false);
      try {
        await store.put(record, session.expiresAt);
      } catch (error) {
        end(session, "deleted");
        throw error;
      }
      count("session created");
      return { session, bridgeToken, mcpToken };
    },
    find(id) {
      const session = live.get(id);
      if (session === undefined && !sessionIdShape.test(id)) return undefined;
      if (session === undefined) return store.get(id).then((stored) => live.get(id) ?? (stored && revive(stored)));
      if (!session.isExpired()) return session;
      if (store.isShared) return unlessExpired(session);
      expire(session);
      return undefined;
    },
    list: () => [...live.values()].filter((session) => !session.isExpired()),
    replaceTools: (id, toolSet) =>
      changeInTurn(id, async (session) => {
        const before = session.toolSet;
        reserveDefinitions(toolSet.bytes - before.bytes);
        session.toolSet = toolSet;
        try {
          await save(session, { tools: toolSet.raw });
        } catch (error) {
          // A session that has ended meanwhile has given back its definitions.
          if (live.get(id) === session) {
            session.toolSet = before;
            definitionQuota.give(toolSet.bytes - before.bytes);
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
      const session = live.get(id);
      if (session) end(session, "deleted");
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
      const owner = requireLive(session.id);
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
    sweep() {
      for (const session of live.values()) {
        if (!store.isShared) {
          if (session.isExpired()) expire(session);
        } else if (session.isExpired()) {
          unlessExpired(session).catch((error: unknown) => log.warn("a session could not be checked", { error }));
        } else if (session.bridge === undefined && session.idleMs() > forgetMs) {
          forget(session);
        }
      }
    },
    beat() {
      for (const session of live.values()) session.bridge?.beat();
    },
    moveBridges: (withinMs) => moveBridges([...live.values()], { bus, log, withinMs }),
    close() {
      stopWatching();
      for (const session of live.values()) {
        session.bridge?.close("draining");
        store.touch(session.id, session.expiresAt);
        release(session);
      }
      live.clear();
    },
  };

  function addLive(record: SessionRecord, toolSet: ToolSet, expiresAt: number, isRevived: boolean): LiveSession {
    const session = new LiveSession({ rules, record, toolSet, expiresAt, isRevived });
    live.set(record.id, session);
    return session;
  }

  async function revive({ record, expiresAt }: StoredSession): Promise<RegisteredSession | undefined> {
    if (expiresAt <= now()) {
      await store.remove(record.id);
      return undefined;
    }
    try {
      const toolSet = parseToolSet(record.tools);
      if (live.size >= mostSessions) forgetOne();
      if (definitionQuota.take(toolSet.bytes))
        return addLive({ ...record, tools: toolSet.raw }, toolSet, expiresAt, true);
      log.warn("a stored session was not loaded: there is no memory left for its tools");
      return undefined;
    } catch (error) {
      log.warn("a stored session could not be loaded and was removed", { error });
      await store.remove(record.id);
      return undefined;
    }
  }

  /** The session, if another instance has seen it in use; otherwise it ends. */
  async function unlessExpired(session: LiveSession): Promise<RegisteredSession | undefined> {
    const stored = await store.get(session.id);
    if (live.get(session.id) !== session) return live.get(session.id);
    if (stored !== undefined && stored.expiresAt > now()) {
      session.expiresAt = stored.expiresAt;
      return session;
    }
    expire(session);
    return undefined;
  }

  /** Takes over what another instance has changed. */
  async function refresh(session: LiveSession): Promise<void> {
    const stored = await store.get(session.id);
    if (stored === undefined || live.get(session.id) !== session) return;
    session.expiresAt = Math.max(session.expiresAt, stored.expiresAt);
    const before = session.record;
    if (JSON.stringify(before) === JSON.stringify(stored.record)) return;
    const toolSet = parseToolSet(stored.record.tools);
    reserveDefinitions(toolSet.bytes - session.toolSet.bytes);
    session.record = { ...stored.record, tools: toolSet.raw };
    session.toolSet = toolSet;
    session.source.replace(toolSet.tools);
  }

  /** With many instances: makes room by forgetting the session that was loaded first and has no bridge here. */
  function forgetOne(): boolean {
    if (!store.isShared) return false;
    const one = live.values().find(({ bridge }) => bridge === undefined);
    if (one !== undefined) forget(one);
    return one !== undefined;
  }

  /** Only here: the session stays in the store, and is loaded again with its next request. */
  function forget(session: LiveSession): void {
    live.delete(session.id);
    release(session);
  }

  /** Runs one change of a session at a time. */
  async function changeInTurn(id: string, change: (session: LiveSession) => Promise<void>): Promise<void> {
    const session = requireLive(id);
    const changed = session.lastChange.then(() => change(requireLive(id)));
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

  function expire(session: LiveSession): void {
    count("session expired");
    end(session, "expired");
    store
      .remove(session.id)
      .catch((error: unknown) => log.error("an expired session could not be removed from the store", { error }));
  }

  function end(session: LiveSession, reason: CloseReason): void {
    live.delete(session.id);
    try {
      session.bridge?.close(reason);
    } finally {
      release(session);
    }
  }

  function release(session: LiveSession): void {
    definitionQuota.give(session.toolSet.bytes);
    session.end();
  }

  function reserveDefinitions(bytes: number): void {
    if (definitionQuota.take(bytes)) return;
    throw new Fault(
      "busy",
      "The proxy has no memory left for more tool definitions. Delete sessions, or try again later.",
    );
  }

  function notifyBridgeChange(session: RegisteredSession): void {
    for (const listener of bridgeListeners) listener(session);
  }

  function requireLive(id: string): LiveSession {
    const session = live.get(id);
    if (!session || session.isExpired()) throw new Fault("unknown-session", "There is no such session.");
    return session;
  }
}
