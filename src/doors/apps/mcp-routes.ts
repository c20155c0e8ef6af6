import type { IncomingMessage, ServerResponse } from "node:http";
import type { Guard } from "../../catalog/guard/guard.ts";
import { Fault } from "../../core/fault.ts";
import type { RequestSlots } from "../../core/http/request-slots.ts";
import type { Log } from "../../core/log.ts";
import { RateLimiter } from "../../core/token-bucket.ts";
import { createHttpEndpoint, type HttpEndpoint } from "../../mcp/http/http-endpoint.ts";
import { createMcpServer } from "../../mcp/server/mcp-server.ts";
import type { ServerInfo } from "../../mcp/server/offer.ts";
import type { MemoryBudget } from "../../sources/apps/memory-budget.ts";
import type { RegisteredSession } from "../../sources/apps/session/live-session.ts";
import type { SessionRegistry } from "../../sources/apps/session/session-registry.ts";
import { judgeAccess, presentedBy, refusedToken, type SessionToken } from "./judge-access.ts";
import { maxBodyBytes } from "./request-limits.ts";
import { createSessionOffer, taskLimits } from "./session-offer.ts";

export interface McpRoutesOptions {
  readonly sessions: SessionRegistry;
  readonly guard: Pick<Guard, "call">;
  readonly info: ServerInfo;
  readonly log: Log;
  readonly openclawHash: string | undefined;
  readonly admission: RequestSlots;
  readonly budget: MemoryBudget;
  /** Of one session, and of the token that opens them all. */
  readonly requestsPerSecond: number;
  readonly tokenRequestsPerSecond: number;
  /** Told of faults that a request ended with before it could be served. */
  readonly onRefused: (fault: Fault) => void;
  readonly now: () => number;
}

/** The MCP side: one endpoint a session, made when it is first used. */
export interface McpRoutes {
  /** `/v1/mcp/{id}`; without an id the header `MCP-Session-Id` says which session. */
  serve(request: IncomingMessage, response: ServerResponse, id: string | undefined): void | Promise<void>;
  /** Calls that still run are told that it is over. */
  stop(): void;
  close(): void;
}

interface SessionEndpoint {
  readonly session: RegisteredSession;
  readonly endpoint: HttpEndpoint;
  readonly requests: RateLimiter;
  stop(why?: string): void;
}

export function createMcpRoutes(options: McpRoutesOptions): McpRoutes {
  const { sessions, guard, info, log, openclawHash, admission, budget, onRefused, now } = options;
  const opened = new Map<string, SessionEndpoint>();
  const sharedRequests = new RateLimiter(options.tokenRequestsPerSecond, now);

  return {
    serve(request, response, id) {
      const named = id ?? (request.headers["mcp-session-id"] || undefined);
      if (typeof named !== "string") return serveFound(request, response, named, undefined);
      const made = opened.get(named);
      if (made && !made.session.isOver()) return serveFound(request, response, named, made.session, made);
      const found = sessions.find(named);
      if (!(found instanceof Promise)) return serveFound(request, response, named, found);
      return found.then((session) => serveFound(request, response, named, session));
    },
    stop() {
      for (const each of opened.values()) each.stop();
    },
    close() {
      for (const { endpoint } of opened.values()) endpoint.close();
      opened.clear();
    },
  };

  function serveFound(
    request: IncomingMessage,
    response: ServerResponse,
    named: unknown,
    session: RegisteredSession | undefined,
    made = session && opened.get(session.id),
  ): void {
    const sessionToken = session ? mcpTokenOf(session) : "unknown";
    const presented = presentedBy(request);
    const access = judgeAccess({ presented, sharedHash: openclawHash, sessionToken });
    if (access === "refused") {
      response.setHeader("www-authenticate", "Bearer");
      throw refusedToken(
        presented,
        sessionToken !== "unknown" && sessionToken.only ? "the mcp_token of this session" : mcpTokenName,
      );
    }
    if (named === undefined && access !== "gone") {
      throw new Fault(
        "bad-request",
        "Say which session: POST to /v1/mcp/<session_id>, or send the header MCP-Session-Id, which some clients drop.",
      );
    }
    if (!session || access === "gone") {
      throw new Fault(
        "unknown-session",
        "There is no such session: it was deleted, or it has expired. Its app opens a new one at /v1/chat/sessions.",
      );
    }
    const { endpoint, requests } = made ?? open(session);
    if (!requests.take() || (access === "shared" && !sharedRequests.take())) {
      throw new Fault("rate-limited", "Too many requests to this session, or with this token. Try again in a second.");
    }
    endpoint.handle(request, response, access);
  }

  function open(session: RegisteredSession): SessionEndpoint {
    const server = createMcpServer(createSessionOffer({ session, guard, info, log, budget }), { log, ...taskLimits });
    const endpoint = createHttpEndpoint(server, { log, admission, maxBodyBytes, sessions: false, onRefused });
    const made: SessionEndpoint = {
      session,
      endpoint,
      requests: new RateLimiter(options.requestsPerSecond, now),
      stop: (why) => server.close(why),
    };
    opened.set(session.id, made);
    session.onEnd(() => {
      opened.delete(session.id);
      made.stop("The session has ended.");
      endpoint.close();
    });
    return made;
  }
}

/** The same where there is no such session: whoever guesses at ids learns nothing. */
const mcpTokenName = "the MCP token of this proxy (OPENCLAW_PROXY_OPENCLAW_TOKEN), or the mcp_token of the session";

function mcpTokenOf({ record }: RegisteredSession): SessionToken {
  return { hash: record.mcpTokenHash, only: record.ownTokens === "all" };
}
