import { randomBytes } from "node:crypto";
import { Fault } from "../../core/fault.ts";
import type { McpServer } from "../server/mcp-server.ts";
import type { Peer } from "../server/peer.ts";
import { createPrincipalCounter } from "../server/principal-counter.ts";
import { createEventStore } from "./event-store.ts";
import { createSessionStream, type SessionStream } from "./event-stream.ts";

/** A client of the legacy era, across its requests. */
export interface HttpSession {
  readonly id: string;
  readonly principal: string;
  readonly peer: Peer;
  /** The stream for messages that belong to no request, once the client has opened it. */
  standalone: SessionStream | undefined;
  openStream(): SessionStream;
  /** The stream that an event id belongs to. */
  findStream(lastEventId: string): SessionStream | undefined;
  touch(): void;
}

export interface HttpSessions {
  open(principal: string): HttpSession;
  /** Opens a session that a client has from an earlier run of this server, under the same id. */
  adopt(id: string, principal: string, version: string | undefined): HttpSession;
  /** Undefined if the session is unknown, ended or another principal's. A client can't tell these apart. */
  find(id: string, principal: string): HttpSession | undefined;
  end(session: HttpSession): void;
  readonly size: number;
  /** Ends sessions that were idle for too long, and keeps quiet streams alive. */
  sweep(): void;
  close(): void;
}

export interface HttpSessionsOptions {
  readonly atMost: number;
  /** The limit per principal. Beyond it the principal's own idle sessions end, never another principal's. */
  readonly atMostOfOne: number;
  readonly idleMs: number;
  readonly eventBytes: number;
  readonly now: () => number;
}

/** The revision of a client that sends no version header (MCP 2025-06-18, Protocol Version Header). */
const oldestWithoutHeader = "2025-03-26";

interface KeptSession extends HttpSession {
  usedAt: number;
  readonly streams: Map<string, SessionStream>;
}

export function createHttpSessions(server: McpServer, options: HttpSessionsOptions): HttpSessions {
  const { atMost, atMostOfOne, idleMs, eventBytes, now } = options;
  const sessions = new Map<string, KeptSession>();
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
      return session?.principal === principal ? session : undefined;
    },
    end,
    get size() {
      return sessions.size;
    },
    sweep() {
      for (const session of sessions.values()) {
        if (now() - session.usedAt > idleMs && isIdle(session)) end(session);
        for (const [id, stream] of session.streams) {
          stream.keepAlive();
          if (stream.isSpent()) session.streams.delete(id);
        }
      }
    },
    close() {
      for (const session of sessions.values()) end(session);
    },
  };

  function open(principal: string, id: string): HttpSession {
    if (countOf.of(principal) >= atMostOfOne) makeRoom(atMostOfOne, longestIdle(principal));
    else if (sessions.size >= atMost) makeRoom(atMost, longestIdle(countOf.greatest()) ?? longestIdle());
    const streams = new Map<string, SessionStream>();
    const peer = server.openPeer({
      principal,
      sessionId: id,
      twoWay: true,
      push: (message) => session.standalone?.send(message),
    });
    const session: KeptSession = {
      id,
      principal,
      peer,
      standalone: undefined,
      usedAt: now(),
      streams,
      openStream() {
        const stream = createSessionStream(events.open(), peer.version);
        streams.set(stream.id, stream);
        return stream;
      },
      findStream: (lastEventId) => streams.get(lastEventId.slice(0, lastEventId.lastIndexOf("-"))),
      touch() {
        session.usedAt = now();
      },
    };
    sessions.set(id, session);
    countOf.add(principal);
    return session;
  }

  function end(session: HttpSession): void {
    const kept = sessions.get(session.id);
    if (!kept) return;
    sessions.delete(kept.id);
    countOf.remove(kept.principal);
    kept.peer.close("The session has ended.");
    for (const stream of kept.streams.values()) stream.drop();
  }

  function makeRoom(count: number, idle: KeptSession | undefined): void {
    if (!idle) throw new Fault("busy", `${count} sessions are open and all in use. Try again later.`);
    end(idle);
  }

  /** The session that was idle the longest: of one principal, or of all. */
  function longestIdle(principal?: string): KeptSession | undefined {
    let oldest: KeptSession | undefined;
    for (const session of sessions.values()) {
      if ((principal !== undefined && session.principal !== principal) || !isIdle(session)) continue;
      if (!oldest || session.usedAt < oldest.usedAt) oldest = session;
    }
    return oldest;
  }
}

function isIdle(session: KeptSession): boolean {
  return session.peer.running.size === 0 && !session.standalone?.isAttached();
}
