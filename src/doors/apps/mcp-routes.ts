import type { IncomingMessage, ServerResponse } from "node:http";
import type { Guard } from "../../catalog/guard/guard.ts";
import { Fault } from "../../core/fault.ts";
import type { BodyIntake } from "../../core/http/body-intake.ts";
import type { ConnectionShares } from "../../core/http/connection-shares.ts";
import type { RequestSlots } from "../../core/http/request-slots.ts";
import type { Log } from "../../core/log.ts";
import { RateLimiter, type SharedUsage } from "../../core/token-bucket.ts";
import { createHttpEndpoint, type HttpEndpoint } from "../../mcp/http/http-endpoint.ts";
import { createMcpServer } from "../../mcp/server/mcp-server.ts";
import type { ServerInfo } from "../../mcp/server/offer.ts";
import type { MemoryBudget } from "../../sources/apps/memory-budget.ts";
import type { RegisteredSession } from "../../sources/apps/session/live-session.ts";
import type { SessionRegistry } from "../../sources/apps/session/session-registry.ts";
import { judgeAccess, presentedBy, refusedToken, type SessionToken } from "./judge-access.ts";
import { maxBodyBytes, tooManyConnections } from "./request-limits.ts";
import { createSessionOffer, taskLimits } from "./session-offer.ts";

export interface McpRoutesOptions {
  readonly sessions: SessionRegistry;
  readonly guard: Pick<Guard, "call">;
  readonly info: ServerInfo;
  readonly log: Log;
  readonly openclawHash: string | undefined;
  readonly admission: RequestSlots;
  readonly intake: BodyIntake;
  readonly connections: ConnectionShares;
  readonly budget: MemoryBudget;
  /** What the names of apps' tools begin with in the hub. */
  readonly prefix?: string | undefined;
  /** For each session. */
  readonly requestsPerSecond: number;
  /** For all requests with the shared token. */
  readonly tokenRequestsPerSecond: number;
  /** Counts them together with those of other instances. */
  readonly sharedUsage?: SharedUsage | undefined;
  /** Called with each fault that ends a request before it is served. */
  readonly onRefused: (fault: Fault) => void;
  readonly now: () => number;
}

/** The MCP side: one endpoint for each session, made when it is first used. */
export interface McpRoutes {
  /** `/v1/mcp/{id}`; without an id the header `MCP-Session-Id` names the session. */
  serve(request: IncomingMessage, response: ServerResponse, id: string | undefined): void | Promise<void>;
  /** Ends the calls that still run. */
  stop(): void;
  close(): void;
}

interface SessionEndpoint {
  readonly session: RegisteredSession;
  readonly endpoint: HttpEndpoint;
  readonly limiter: RateLimiter;
  stop(why?: string): void;
}

export function createMcpRoutes(options: McpRoutesOptions): McpRoutes {
  const { sessions, guard, info, log, openclawHash, admission, intake, connections, budget, onRefused, now } = options;
  const endpoints = new Map<string, SessionEndpoint>();
  const sharedLimiter = new RateLimiter(options.tokenRequestsPerSecond, now);
  const leaveUsage = options.sharedUsage?.join("token", sharedLimiter);

  return {
    serve(request, response, id) {
      const requestedId = id ?? (request.headers["mcp-session-id"] || undefined);
      if (typeof requestedId !== "string") return serveFound(request, response, requestedId, undefined);
      const known = endpoints.get(requestedId);
      if (known && !known.session.isExpired()) return serveFound(request, response, requestedId, known.session, known);
      const found = sessions.find(requestedId);
      if (!(found instanceof Promise)) return serveFound(request, response, requestedId, found);
      return found.then((session) => serveFound(request, response, requestedId, session));
    },
    stop() {
      for (const each of endpoints.values()) each.stop();
    },
    close() {
      leaveUsage?.();
      for (const { endpoint } of endpoints.values()) endpoint.close();
      endpoints.clear();
    },
  };

  function serveFound(
    request: IncomingMessage,
    response: ServerResponse,
    requestedId: unknown,
    session: RegisteredSession | undefined,
    known = session && endpoints.get(session.id),
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
    if (requestedId === undefined && access !== "gone") {
      throw new Fault(
        "bad-request",
        "The request names no session: POST to /v1/mcp/<session_id>, or send the header MCP-Session-Id, which some clients drop.",
      );
    }
    if (!session || access === "gone") {
      throw new Fault(
        "unknown-session",
        "There is no such session: it was deleted or has expired. Its app can open a new one at /v1/chat/sessions.",
      );
    }
    const { endpoint, limiter } = known ?? open(session);
    if (!limiter.take() || (access === "shared" && !sharedLimiter.take())) {
      throw new Fault("rate-limited", "Too many requests to this session, or with this token. Try again in a second.");
    }
    if (!connections.claim(request.socket, session.id)) throw tooManyConnections(response);
    // All clients may use the same token, so the shares are those of the sessions.
    endpoint.handle(request, response, access, session.id);
  }

  function open(session: RegisteredSession): SessionEndpoint {
    const offer = createSessionOffer({ session, guard, info, log, budget, prefix: options.prefix });
    const server = createMcpServer(offer, { log, ...taskLimits });
    const endpoint = createHttpEndpoint(server, { log, admission, intake, maxBodyBytes, sessions: false, onRefused });
    const opened: SessionEndpoint = {
      session,
      endpoint,
      limiter: new RateLimiter(options.requestsPerSecond, now),
      stop: (why) => server.close(why),
    };
    endpoints.set(session.id, opened);
    const leave = options.sharedUsage?.join(`session ${session.id}`, opened.limiter);
    session.onEnd(() => {
      leave?.();
      endpoints.delete(session.id);
      opened.stop("The session has ended.");
      endpoint.close();
    });
    return opened;
  }
}

/** The same for unknown sessions, so that a client that guesses ids learns nothing. */
const mcpTokenName = "the MCP token of this proxy (OPENCLAW_PROXY_OPENCLAW_TOKEN), or the mcp_token of the session";

function mcpTokenOf({ record }: RegisteredSession): SessionToken {
  return { hash: record.mcpTokenHash, only: record.ownTokens === "all" };
}
