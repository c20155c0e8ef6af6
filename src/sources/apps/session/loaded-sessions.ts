import { Fault } from "../../../core/fault.ts";
import type { Log } from "../../../core/log.ts";
import type { CloseReason } from "../bridge/bridge-socket.ts";
import type { DefinitionQuota } from "../memory-budget.ts";
import type { SessionRecord, StoredSession } from "../store/session-store.ts";
import { LiveSession, type RegisteredSession, sessionIdShape, type SessionRules } from "./live-session.ts";
import { parseToolSet, type ToolSet } from "./tool-set.ts";
import { isSameJson } from "../../../core/is-same-json.ts";

export interface LoadedSessionsOptions {
  readonly rules: SessionRules;
  readonly quota: DefinitionQuota;
  readonly log: Log;
}

/**
 * The sessions in the memory of this process, in step with the store: loaded when they are needed, refreshed when another
 * instance has changed them, and ended when they expire.
 */
export interface LoadedSessions {
  /** Adds a new session. Faults if there are too many, or if no memory is left for its tools. */
  add(record: SessionRecord, toolSet: ToolSet): LiveSession;
  /** undefined if it is unknown or has expired. A promise only while it is loaded from the store. */
  find(id: string): RegisteredSession | undefined | Promise<RegisteredSession | undefined>;
  /** The session if it is in memory, expired or not. */
  get(id: string): LiveSession | undefined;
  /** Faults if it is not in memory or has expired. */
  require(id: string): LiveSession;
  all(): readonly LiveSession[];
  end(session: LiveSession, reason: CloseReason): void;
  /** Ends the sessions that have expired. */
  sweep(): void;
  /** Closes the bridges; the sessions stay in the store. */
  close(): void;
}

const maxSessions = 20_000;
/** With many instances, how long a session without a bridge here stays in memory after its last use. */
const forgetMs = 300_000;

export async function openLoadedSessions({ rules, quota, log }: LoadedSessionsOptions): Promise<LoadedSessions> {
  const { store, now, count } = rules;
  const loaded = new Map<string, LiveSession>();
  // With many instances each loads the sessions that it meets, and hears what the others do to them.
  if (!store.isShared) await Promise.all((await store.all()).map(revive));
  let isCatchingUp = false;
  const stopWatching = await store.watch((change) => {
    if (change.kind === "missed" || change.kind === "emptied") return void catchUp(change.kind === "emptied");
    const session = loaded.get(change.id);
    if (session === undefined) return;
    if (change.kind === "removed") return endRemoved(session);
    refresh(session).catch((error: unknown) => log.warn("a changed session could not be loaded", { error }));
  });

  return {
    add(record, toolSet) {
      if (loaded.size >= maxSessions && !forgetOne()) {
        throw new Fault("busy", `The limit of ${maxSessions} sessions is reached. Delete some, or try again later.`);
      }
      quota.reserve(toolSet.bytes);
      return addLoaded(record, toolSet, record.createdAt + record.ttlMs, false);
    },
    find(id) {
      const session = loaded.get(id);
      if (session === undefined && !sessionIdShape.test(id)) return undefined;
      if (session === undefined) return store.get(id).then((stored) => loaded.get(id) ?? (stored && revive(stored)));
      if (!session.isExpired()) return session;
      if (store.isShared) return unlessExpired(session);
      expire(session);
      return undefined;
    },
    get: (id) => loaded.get(id),
    require(id) {
      const session = loaded.get(id);
      if (!session || session.isExpired()) throw new Fault("unknown-session", "There is no such session.");
      return session;
    },
    all: () => [...loaded.values()],
    end,
    sweep() {
      for (const session of loaded.values()) {
        if (!store.isShared) {
          if (session.isExpired()) expire(session);
        } else if (session.isExpired()) {
          unlessExpired(session).catch((error: unknown) => log.warn("a session could not be checked", { error }));
        } else if (session.bridge === undefined && session.idleMs() > forgetMs) {
          forget(session);
        }
      }
    },
    close() {
      stopWatching();
      for (const session of loaded.values()) {
        session.bridge?.close("draining");
        store.touch(session.id, session.expiresAt);
        release(session);
      }
      loaded.clear();
    },
  };

  function addLoaded(record: SessionRecord, toolSet: ToolSet, expiresAt: number, isRevived: boolean): LiveSession {
    const session = new LiveSession({ rules, record, toolSet, expiresAt, isRevived });
    loaded.set(record.id, session);
    return session;
  }

  async function revive({ record, expiresAt }: StoredSession): Promise<RegisteredSession | undefined> {
    if (expiresAt <= now()) {
      await store.remove(record.id);
      return undefined;
    }
    try {
      const toolSet = parseToolSet(record.tools);
      if (loaded.size >= maxSessions) forgetOne();
      if (quota.take(toolSet.bytes)) return addLoaded({ ...record, tools: toolSet.raw }, toolSet, expiresAt, true);
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
    if (loaded.get(session.id) !== session) return loaded.get(session.id);
    if (stored !== undefined && stored.expiresAt > now()) {
      session.expiresAt = stored.expiresAt;
      return session;
    }
    expire(session);
    return undefined;
  }

  /** One after the other, so that calls don't wait behind thousands of reads. */
  async function catchUp(isEmptied: boolean): Promise<void> {
    if (isCatchingUp) return;
    isCatchingUp = true;
    try {
      for (const session of loaded.values())
        if (loaded.get(session.id) === session && !(await refresh(session))) {
          if (isEmptied && !session.isExpired()) await store.put(session.record, session.expiresAt);
          else endRemoved(session);
        }
    } catch (error) {
      log.warn("sessions could not be compared with the store", { error });
    } finally {
      isCatchingUp = false;
    }
  }

  function endRemoved(session: LiveSession): void {
    end(session, session.isExpired() ? "expired" : "deleted");
  }

  /** Takes over what another instance has changed. Resolves to whether the store still has the session. */
  async function refresh(session: LiveSession): Promise<boolean> {
    const stored = await store.get(session.id);
    if (stored === undefined || loaded.get(session.id) !== session) return loaded.get(session.id) !== session;
    session.expiresAt = Math.max(session.expiresAt, stored.expiresAt);
    const before = session.record;
    if (isSameJson(before, stored.record)) return true;
    const toolSet = parseToolSet(stored.record.tools);
    quota.reserve(toolSet.bytes - session.toolSet.bytes);
    session.record = { ...stored.record, tools: toolSet.raw };
    session.toolSet = toolSet;
    session.source.replace(toolSet.tools);
    return true;
  }

  /** With many instances: makes room by forgetting the session that was loaded first and has no bridge here. */
  function forgetOne(): boolean {
    if (!store.isShared) return false;
    const one = loaded.values().find(({ bridge }) => bridge === undefined);
    if (one !== undefined) forget(one);
    return one !== undefined;
  }

  /** Only here: the session stays in the store, and is loaded again with its next request. */
  function forget(session: LiveSession): void {
    loaded.delete(session.id);
    release(session);
  }

  function expire(session: LiveSession): void {
    count("session expired");
    end(session, "expired");
    store
      .remove(session.id)
      .catch((error: unknown) => log.error("an expired session could not be removed from the store", { error }));
  }

  function end(session: LiveSession, reason: CloseReason): void {
    loaded.delete(session.id);
    try {
      session.bridge?.close(reason);
    } finally {
      release(session);
    }
  }

  function release(session: LiveSession): void {
    quota.give(session.toolSet.bytes);
    session.end();
  }
}
