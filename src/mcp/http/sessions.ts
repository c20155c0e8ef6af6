import { randomBytes } from "node:crypto";
import { Fault } from "../../core/fault.ts";
import type { Peer } from "../peer.ts";
import type { McpServer } from "../server.ts";
import { createEventStore } from "./event-store.ts";
import { createSessionStream, type SessionStream } from "./session-stream.ts";

/** A client of the revisions with a handshake, between its requests. */
export interface Session {
  readonly id: string;
  readonly principal: string;
  readonly peer: Peer;
  /** The stream for what belongs to no request, once the client has opened it. */
  standalone: SessionStream | undefined;
  openStream(): SessionStream;
  /** The stream an event id came from. */
  findStream(lastEventId: string): SessionStream | undefined;
  touch(): void;
}

export interface Sessions {
  open(principal: string): Session;
  /** Nothing where the session is unknown, over, or somebody else's: all three look the same from outside. */
  find(id: string, principal: string): Session | undefined;
  end(session: Session): void;
  readonly size: number;
  /** Ends what nobody used for the time allowed, and keeps quiet streams alive. */
  sweep(): void;
  close(): void;
}

export interface SessionsOptions {
  readonly atMost: number;
  readonly idleMs: number;
  readonly eventBytes: number;
  readonly now: () => number;
}

interface Kept extends Session {
  usedAt: number;
  readonly streams: Map<string, SessionStream>;
}

export function createSessions(server: McpServer, { atMost, idleMs, eventBytes, now }: SessionsOptions): Sessions {
  const sessions = new Map<string, Kept>();
  const events = createEventStore(eventBytes);

  return {
    open(principal) {
      if (sessions.size >= atMost) makeRoom();
      const id = randomBytes(24).toString("base64url");
      const streams = new Map<string, SessionStream>();
      const peer = server.openPeer({
        principal,
        sessionId: id,
        twoWay: true,
        push: (message) => session.standalone?.send(message),
      });
      const session: Kept = {
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

  function end(session: Session): void {
    const kept = sessions.get(session.id);
    if (!kept) return;
    sessions.delete(kept.id);
    kept.peer.close("The session has ended.");
    for (const stream of kept.streams.values()) stream.drop();
  }

  function makeRoom(): void {
    let oldest: Kept | undefined;
    for (const session of sessions.values()) {
      if (isIdle(session) && (!oldest || session.usedAt < oldest.usedAt)) oldest = session;
    }
    if (!oldest) throw new Fault("busy", `${atMost} sessions are open here, all in use. Try again later.`);
    end(oldest);
  }
}

function isIdle(session: Kept): boolean {
  return session.peer.running.size === 0 && !session.standalone?.isAttached();
}
