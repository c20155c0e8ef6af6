import { randomBytes } from "node:crypto";
import { Fault } from "../../core/fault.ts";
import type { McpServer } from "../server/mcp-server.ts";
import type { Peer } from "../server/peer.ts";
import { createPrincipalCounter } from "../server/principal-counter.ts";
import { type AwaitedRequest, writeAwaited } from "./awaited-requests.ts";
import { createEventStore } from "./event-store.ts";
import { createSessionStream, type SessionStream } from "./event-stream.ts";
import type { KeptSessions, SessionFacts } from "./kept-sessions.ts";

/** A client of the legacy era, across its requests. */
export interface HttpSession {
  readonly id: string;
  readonly principal: string;
  readonly peer: Peer;
  /** The stream for messages that belong to no request, once the client has opened it. */
  standalone: SessionStream | undefined;
  /** The stream that answers these requests; none unless given. */
  openStream(requests?: readonly AwaitedRequest[]): SessionStream;
  /** The stream that an event id belongs to. */
  findStream(lastEventId: string): SessionStream | undefined;
  /** Whether the stream of an event id may have been this session's before it was restored. */
  mayHaveLost(lastEventId: string): boolean;
  touch(): void;
}

export interface HttpSessions {
  open(principal: string): HttpSession;
  /** Opens a session that a client has from an earlier run of this server, under the same id. */
  adopt(id: string, principal: string, version: string | undefined): HttpSession;
  /** Undefined if the session is unknown, ended or another principal's. A client can't tell these apart. */
  find(id: string, principal: string): HttpSession | undefined;
  /** The client has agreed on a version: from now on the session can outlive this process. */
  keep(session: HttpSession): void;
  end(session: HttpSession): void;
  /** Ends all sessions of one principal. */
  endAllOf(principal: string): void;
  readonly size: number;
  /** Releases sessions that were idle for too long, and keeps quiet streams alive. */
  sweep(): void;
  /** Ends all sessions, except those that are kept. */
  close(): void;
}

export interface HttpSessionsOptions {
  readonly atMost: number;
  /** The limit per principal. Beyond it the principal's own idle sessions end, never another principal's. */
  readonly atMostOfOne: number;
  readonly idleMs: number;
  readonly eventBytes: number;
  readonly now: () => number;
  /** Without it, sessions end with this process. */
  readonly kept?: KeptSessions | undefined;
}

/** The revision of a client that sends no version header (MCP 2025-06-18, Protocol Version Header). */
const oldestWithoutHeader = "2025-03-26";

interface LiveSession extends HttpSession {
  usedAt: number;
  /** When its use was last written down; undefined if it is not kept. */
  keptAt: number | undefined;
  isRestored: boolean;
  readonly streams: Map<string, SessionStream>;
}

/** How often it is written down that a kept session is in use. */
const noteUseEveryMs = 3_600_000;

export function createHttpSessions(server: McpServer, options: HttpSessionsOptions): HttpSessions {
  const { atMost, atMostOfOne, idleMs, eventBytes, now, kept } = options;
  const sessions = new Map<string, LiveSession>();
  const countOf = createPrincipalCounter();
  const events = createEventStore(eventBytes);

  return {
    open: (principal) => open(principal, randomBytes(24).toString("base64url")),
    adopt(id, principal, version) {
      // The id of another principal's session is not taken over.
      const session = open(principal, sessions.has(id) ? randomBytes(24).toString("base64url") : id);
      session.peer.version = version ?? oldestWithoutHeader;
      return session;
    },
    find(id, principal) {
      const session = sessions.get(id);
      if (session !== undefined) return session.principal === principal ? session : undefined;
      const facts = kept?.recall(id, principal);
      return facts && restore(id, principal, facts);
    },
    keep({ id }) {
      const session = sessions.get(id);
      if (!session || !kept) return;
      keep(session);
      session.peer.onSettings = () => keep(session);
    },
    end,
    endAllOf(principal) {
      for (const session of sessions.values()) if (session.principal === principal) end(session);
    },
    get size() {
      return sessions.size;
    },
    sweep() {
      for (const session of sessions.values()) {
        if (session.keptAt !== undefined && session.usedAt - session.keptAt > noteUseEveryMs) {
          session.keptAt = session.usedAt;
          kept?.touch(session.id, session.principal);
        }
        if (now() - session.usedAt > idleMs && isIdle(session)) release(session);
        for (const [id, stream] of session.streams) {
          stream.keepAlive();
          if (stream.isSpent()) session.streams.delete(id);
        }
      }
    },
    close() {
      for (const session of sessions.values()) release(session);
    },
  };

  function open(principal: string, id: string): LiveSession {
    if (countOf.of(principal) >= atMostOfOne) makeRoom(atMostOfOne, longestIdle(principal));
    else if (sessions.size >= atMost) makeRoom(atMost, longestIdle(countOf.greatest()) ?? longestIdle());
    const streams = new Map<string, SessionStream>();
    const peer = server.openPeer({
      principal,
      sessionId: id,
      twoWay: true,
      push: (message) => session.standalone?.send(message),
    });
    const session: LiveSession = {
      id,
      principal,
      peer,
      standalone: undefined,
      usedAt: now(),
      keptAt: undefined,
      isRestored: false,
      streams,
      openStream(requests = []) {
        const stream = createSessionStream(events.open(writeAwaited(requests)), peer.version);
        streams.set(stream.id, stream);
        return stream;
      },
      findStream: (lastEventId) => streams.get(lastEventId.slice(0, lastEventId.lastIndexOf("-"))),
      mayHaveLost: (lastEventId) => session.isRestored || events.isForeign(lastEventId),
      touch() {
        session.usedAt = now();
      },
    };
    sessions.set(id, session);
    countOf.add(principal);
    return session;
  }

  function keep(session: LiveSession): void {
    const { version, client, logLevel, watches } = session.peer;
    if (version === undefined) return;
    kept?.remember(session.id, session.principal, { version, client, logLevel, watched: [...watches.keys()] });
    session.keptAt = now();
  }

  function restore(id: string, principal: string, facts: SessionFacts): LiveSession {
    const session = open(principal, id);
    const { peer } = session;
    peer.version = facts.version;
    peer.client = facts.client;
    peer.logLevel = facts.logLevel ?? peer.logLevel;
    session.keptAt = -Infinity;
    session.isRestored = true;
    void watchAgain(peer, facts.watched ?? []).then(() => (peer.onSettings = () => keep(session)));
    return session;
  }

  /** A client does not know that its session was away, so it would not subscribe again. */
  async function watchAgain(peer: Peer, uris: readonly string[]): Promise<void> {
    const answers = uris.map((uri, index) => {
      const request = { id: `subscribe-again-${index}`, method: "resources/subscribe", params: { uri } };
      return server.handle({ jsonrpc: "2.0", ...request }, peer, { send: () => {} });
    });
    await Promise.allSettled(answers);
  }

  function end(session: HttpSession): void {
    if (release(session)) kept?.forget(session.id, session.principal);
  }

  /** Frees what it takes here. A kept session is restored when its client comes back. */
  function release(session: HttpSession): boolean {
    const live = sessions.get(session.id);
    if (!live) return false;
    sessions.delete(live.id);
    countOf.remove(live.principal);
    live.peer.close("The session has ended.");
    for (const stream of live.streams.values()) stream.drop();
    return true;
  }

  function makeRoom(count: number, idle: LiveSession | undefined): void {
    if (!idle) throw new Fault("busy", `${count} sessions are open and all in use. Try again later.`);
    release(idle);
  }

  /** The session that was idle the longest: of one principal, or of all. */
  function longestIdle(principal?: string): LiveSession | undefined {
    let oldest: LiveSession | undefined;
    for (const session of sessions.values()) {
      if ((principal !== undefined && session.principal !== principal) || !isIdle(session)) continue;
      if (!oldest || session.usedAt < oldest.usedAt) oldest = session;
    }
    return oldest;
  }
}

function isIdle(session: LiveSession): boolean {
  return session.peer.running.size === 0 && !session.standalone?.isAttached();
}
