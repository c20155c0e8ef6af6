import type { IncomingMessage, ServerResponse } from "node:http";
import { Fault } from "../../core/fault.ts";
import type { BodyIntake } from "../../core/http/body-intake.ts";
import type { ConnectionShares } from "../../core/http/connection-shares.ts";
import { sendJson } from "../../core/http/send-json.ts";
import type { RateLimiter } from "../../core/token-bucket.ts";
import type { RegisteredSession } from "../../sources/apps/session/live-session.ts";
import type { SessionRegistry } from "../../sources/apps/session/session-registry.ts";
import { parseSessionRequest, parseToolsRequest } from "../../sources/apps/session/session-request.ts";
import { bridgeTokenOf, judgeAccess, presentedBy, type PresentedToken, refusedToken } from "./judge-access.ts";
import { type SessionUrlFacts, sessionUrls } from "./proxy-route.ts";
import { maxBodyBytes, tooManyConnections } from "./request-limits.ts";
import { wrongMethod } from "./send-problem.ts";

export interface SessionRoutesOptions {
  readonly sessions: SessionRegistry;
  readonly appHash: string | undefined;
  /** Hash of the operator's token, if there is one. */
  readonly operatorHash: string | undefined;
  /** Limits how often sessions are opened and their tools replaced: both write to disk. */
  readonly changeLimiter: RateLimiter;
  readonly intake: BodyIntake;
  readonly connections: ConnectionShares;
  /** Why no session can be opened here now; undefined if one can. */
  notReady(): string | undefined;
  urlFacts(request: IncomingMessage): SessionUrlFacts;
}

/** The HTTP side of apps: open, list, change and delete sessions. */
export interface SessionRoutes {
  /** `/v1/chat/sessions` */
  collection(request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** `/v1/chat/sessions/{id}` */
  single(request: IncomingMessage, response: ServerResponse, id: string): Promise<void>;
  /** Throws a fault unless the operator sent the request. Returns true if it was proved with the operator's own token. */
  requireOperator(request: IncomingMessage): boolean;
}

export function createSessionRoutes(options: SessionRoutesOptions): SessionRoutes {
  const { sessions, appHash, operatorHash, changeLimiter } = options;

  return {
    async collection(request, response) {
      if (request.method === "POST") return create(request, response);
      if (request.method !== "GET") throw wrongMethod(response, "GET, POST");
      const isOperator = requireOperator(request);
      sendJson(response, 200, { sessions: sessions.list().map((session) => describeSession(session, isOperator)) });
    },
    async single(request, response, id) {
      const { method } = request;
      if (method !== "DELETE" && method !== "PATCH" && method !== "GET") {
        throw wrongMethod(response, "GET, PATCH, DELETE");
      }
      const session = await sessions.find(id);
      const sessionToken = session ? bridgeTokenOf(session) : "unknown";
      const presented = presentedBy(request);
      const access = judgeAccess({ presented, sharedHash: appHash, sessionToken });
      if (access === "refused" && !isOperator(presented)) {
        throw refusedToken(
          presented,
          sessionToken !== "unknown" && sessionToken.only ? "the bridge_token of this session" : appTokenName,
        );
      }
      if (!session) throw new Fault("unknown-session", "There is no such session.");
      if (method === "GET") return sendJson(response, 200, describeSession(session, true));
      if (method === "PATCH") {
        limitChanges();
        const body = await read(request, response, id);
        await sessions.replaceTools(id, parseToolsRequest(body));
      } else await sessions.remove(id);
      sendJson(response, 200, { ok: true });
    },
    requireOperator,
  };

  async function create(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const presented = presentedBy(request);
    if (judgeAccess({ presented, sharedHash: appHash }) === "refused") throw refusedToken(presented, appTokenName);
    limitChanges();
    const why = options.notReady();
    if (why === "draining") throw new Fault("stopping", "The proxy is stopping. Try again in a few seconds.");
    if (why !== undefined)
      throw new Fault("unavailable", `No session can be opened now: ${why}. Try again in a few seconds.`);
    const body = await read(request, response, registrations);
    const { session, bridgeToken, mcpToken } = await sessions.create(parseSessionRequest(body));
    sendJson(response, 200, {
      mcpSessionId: session.id,
      ...sessionUrls(session.id, options.urlFacts(request)),
      bridge_token: bridgeToken,
      mcp_token: mcpToken,
      ttl_seconds: session.record.ttlMs / 1000,
    });
  }

  function read(request: IncomingMessage, response: ServerResponse, holder: string): Promise<unknown> {
    if (!options.connections.claim(request.socket, holder)) throw tooManyConnections(response);
    return options.intake.read(request, { holder, maxBytes: maxBodyBytes });
  }

  function limitChanges(): void {
    if (changeLimiter.take()) return;
    throw new Fault("rate-limited", "Too many sessions are being opened or changed. Try again in a second.");
  }

  function isOperator(presented: PresentedToken): boolean {
    return operatorHash !== undefined && judgeAccess({ presented, sharedHash: operatorHash }) !== "refused";
  }

  function requireOperator(request: IncomingMessage): boolean {
    const presented = presentedBy(request);
    const [sharedHash, required] = operatorHash ? [operatorHash, operatorTokenName] : [appHash, appTokenName];
    if (judgeAccess({ presented, sharedHash }) === "refused") throw refusedToken(presented, required);
    return operatorHash !== undefined;
  }
}

/** Whose share of the connections a registration takes. No session has this id. */
const registrations = "new sessions";
const appTokenName = "the app token of this proxy (OPENCLAW_PROXY_APP_TOKEN)";
const operatorTokenName = "the operator's token (OPENCLAW_PROXY_OPERATOR_TOKEN)";

/** Without tokens an id gives access to its session, so only a reader who may have it gets the whole id. */
function describeSession(session: RegisteredSession, whole: boolean): object {
  const { id, record, source, bridge, expiresAt } = session;
  return {
    mcpSessionId: whole ? id : `${id.slice(0, 4)}…`,
    device_id: record.deviceId,
    device_name: record.deviceName,
    app_version: record.appVersion,
    chat_id: record.chatId,
    tools: source.tools().length,
    created_at: new Date(record.createdAt).toISOString(),
    expires_at: new Date(expiresAt).toISOString(),
    bridge_connected: bridge !== undefined,
    calls_in_flight: bridge?.inFlight ?? 0,
  };
}
