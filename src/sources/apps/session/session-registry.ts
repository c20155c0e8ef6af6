import type { Unsubscribe } from "../../../catalog/source.ts";
import { Fault } from "../../../core/fault.ts";
import type { Log } from "../../../core/log.ts";
import { hashToken } from "../../../core/secrets/hash-token.ts";
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
  /** Told to the app, this once. */
  readonly bridgeToken: string;
  readonly mcpToken: string;
}

/** All app sessions of this process. */
export interface SessionRegistry {
  create(request: SessionRequest): Promise<CreatedSession>;
  /** Nothing where it is unknown or over. A promise only while it is brought back from the store. */
  find(id: string): RegisteredSession | undefined | Promise<RegisteredSession | undefined>;
  list(): readonly RegisteredSession[];
  replaceTools(id: string, toolSet: ToolSet): Promise<void>;
  /** From now on only the session's own token opens its bridge. */
  closeBridgeToOthers(id: string): Promise<void>;
  /** Says whether there was one. */
  remove(id: string): Promise<boolean>;
  openBridge(session: RegisteredSession, socket: BridgeSocket): Promise<Bridge>;
  /** Told of a session whenever its bridge has come or gone. */
  onBridge(listener: (session: RegisteredSession) => void): Unsubscribe;
  /** Ends what has expired. */
  sweep(): void;
  /** One beat of every bridge's heart. */
  beat(): void;
  /** Closes the bridges; the sessions stay in the store. */
  close(): void;
}

/** The longest life an app may ask for, unless the usual one is longer. */
const mostTtlMs = 86_400_000;
const mostSessions = 20_000;
/** A call that nobody has accepted by then is sent again. */
const acceptMs = 400;

export async function openSessionRegistry(options: SessionRegistryOptions): Promise<SessionRegistry> {
  const { store, bus, ttlMs, timeoutMs, graceMs, budget, count, log, now = Date.now } = options;
  const rules: SessionRules = { bus, store, budget, timeoutMs, graceMs, acceptMs, now, count };
  const definitionQuota = createDefinitionQuota(budget, count);
  const bridgeListeners = new Set<(session: RegisteredSession) => void>();
  const live = new Map<string, LiveSession>();
  await Promise.all((await store.all()).map(revive));

  return {
    async create(request) {
      if (live.size >= mostSessions) {
        throw new Fault("busy", `${mostSessions} sessions are open here. Delete some, or try again later.`);
      }
      const bridgeToken = makeSessionToken();
      const mcpToken = makeSessionToken();
      const createdAt = now();
      const wanted = request.ttlSeconds === undefined ? ttlMs : request.ttlSeconds * 1000;
      const record: SessionRecord = {
        id: makeSessionId(),
        deviceId: request.deviceId,
        deviceName: request.deviceName,
        appVersion: request.appVersion,
        chatId: request.chatId,
        tools: request.toolSet.raw,
        createdAt,
        ttlMs: Math.min(wanted, Math.max(mostTtlMs, ttlMs)),
        bridgeTokenHash: hashToken(bridgeToken),
        mcpTokenHash: hashToken(mcpToken),
        ownTokens: request.ownTokensOnly ? "all" : "none",
      };
      reserveDefinitions(request.toolSet.bytes);
      const session = bringUp(record, request.toolSet, createdAt + record.ttlMs, false);
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
      if (!session.isOver()) return session;
      expire(session);
      return undefined;
    },
    list: () => [...live.values()].filter((session) => !session.isOver()),
    replaceTools: (id, toolSet) =>
      inTurn(id, async (session) => {
        const before = session.toolSet;
        reserveDefinitions(toolSet.bytes - before.bytes);
        session.toolSet = toolSet;
        try {
          await keep(session, { tools: toolSet.raw });
        } catch (error) {
          // One that has ended meanwhile has given back what it had.
          if (live.get(id) === session) {
            session.toolSet = before;
            definitionQuota.give(toolSet.bytes - before.bytes);
          }
          throw error;
        }
        session.source.replace(toolSet.tools);
      }),
    closeBridgeToOthers: (id) =>
      inTurn(id, async (session) => {
        if (session.record.ownTokens === "none") await keep(session, { ownTokens: "bridge" });
      }),
    async remove(id) {
      const session = live.get(id);
      if (session) end(session, "deleted");
      const was = await store.remove(id);
      if (was) count("session deleted");
      return was;
    },
    async openBridge(session, socket) {
      const kept = requireLive(session.id);
      const bridge: Bridge = new Bridge({ owner: kept, socket, budget, count, now, onGone });
      // Known before the old one is evicted: its closing must not take this one for gone.
      kept.bridge = bridge;
      kept.touch();
      const held = bus.hold(kept.id, bridge);
      await held;
      count("bridge connected");
      tellOfBridge(kept);
      return bridge;

      function onGone(): void {
        count("bridge lost");
        held.then(
          (release) => release(),
          () => {},
        );
        if (kept.bridge !== bridge) return;
        kept.bridge = undefined;
        tellOfBridge(kept);
      }
    },
    onBridge(listener) {
      bridgeListeners.add(listener);
      return () => bridgeListeners.delete(listener);
    },
    sweep() {
      for (const session of live.values()) if (session.isOver()) expire(session);
    },
    beat() {
      for (const session of live.values()) session.bridge?.beat();
    },
    close() {
      for (const session of live.values()) {
        session.bridge?.close("draining");
        store.touch(session.id, session.expiresAt);
        leave(session);
      }
      live.clear();
    },
  };

  function bringUp(record: SessionRecord, toolSet: ToolSet, expiresAt: number, isRevived: boolean): LiveSession {
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
      if (definitionQuota.take(toolSet.bytes))
        return bringUp({ ...record, tools: toolSet.raw }, toolSet, expiresAt, true);
      log.warn("a stored session is left where it is: there is no room for its tools");
      return undefined;
    } catch (error) {
      log.warn("a stored session can't be brought back; it is dropped", { error });
      await store.remove(record.id);
      return undefined;
    }
  }

  /** One change of a session at a time. */
  async function inTurn(id: string, change: (session: LiveSession) => Promise<void>): Promise<void> {
    const { changing } = requireLive(id);
    const mine = changing.then(() => change(requireLive(id)));
    requireLive(id).changing = mine.catch(() => {});
    return mine;
  }

  /** In force at once; taken back where it can't be stored. */
  async function keep(session: LiveSession, change: Partial<SessionRecord>): Promise<void> {
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
    store.remove(session.id).catch((error: unknown) => log.error("an expired session can't be removed", { error }));
  }

  function end(session: LiveSession, reason: CloseReason): void {
    live.delete(session.id);
    try {
      session.bridge?.close(reason);
    } finally {
      leave(session);
    }
  }

  function leave(session: LiveSession): void {
    definitionQuota.give(session.toolSet.bytes);
    session.end();
  }

  function reserveDefinitions(bytes: number): void {
    if (definitionQuota.take(bytes)) return;
    throw new Fault("busy", "The proxy holds as many tool definitions as it may. Delete sessions, or try again later.");
  }

  function tellOfBridge(session: RegisteredSession): void {
    for (const listener of bridgeListeners) listener(session);
  }

  function requireLive(id: string): LiveSession {
    const session = live.get(id);
    if (!session || session.isOver()) throw new Fault("unknown-session", "There is no such session.");
    return session;
  }
}
