import { openapiSchemas } from "./openapi-schemas.ts";

/** The description of the HTTP side of the proxy (OpenAPI 3.1). */
export function openapiText(version: string): string {
  return JSON.stringify({
    openapi: "3.1.0",
    info: { title: "Clawport app proxy", version, description: "Calls the tools of running apps over MCP." },
    paths: {
      "/v1/chat/sessions": {
        post: {
          ...operation("createSession", "Opens a session and registers its tools.", app),
          requestBody: json("SessionRequest"),
          responses: { 200: answer("Session"), ...problems(400, 401, 403, 408, 413, 415, 429, 503) },
        },
        get: {
          ...operation("listSessions", "Lists the sessions, for the operator of the proxy.", operator),
          responses: { 200: answer("SessionList"), ...problems(401, 403) },
        },
      },
      "/v1/chat/sessions/{session_id}": {
        parameters: [sessionId],
        get: {
          ...operation("getSession", "Returns the state of a session.", ownApp),
          responses: { 200: answer("SessionState"), ...problems(401, 403, 404) },
        },
        patch: {
          ...operation("replaceTools", "Replaces the tools of a session and notifies its clients.", ownApp),
          requestBody: json("Tools"),
          responses: { 200: answer("Ok"), ...problems(400, 401, 403, 404, 408, 413, 415, 429, 503) },
        },
        delete: {
          ...operation("deleteSession", "Deletes a session.", ownApp),
          responses: { 200: answer("Ok"), ...problems(401, 403, 404) },
        },
      },
      "/v1/chat/sessions/{session_id}/bridge": {
        parameters: [sessionId],
        get: {
          ...operation("openBridge", "Connects the bridge of the app, a WebSocket.", ownApp),
          description:
            "Messages are JSON text. To the app: invoke_tool, cancel_tool, ask_answer, ping. From the app: invoke_result, invoke_progress, invoke_log, invoke_ask, pong. Browsers offer the subprotocols `clawport.bridge` and `bearer.<token>`. Close codes: 4400 message not understood, 4401 wrong token, 4404 unknown session, 4408 session expired, 4409 replaced by a newer bridge, 4410 session deleted, 4429 too many messages, 1009 message over 72 MB, 1011 the proxy failed, 1012 the proxy restarts, 1013 the proxy is at its memory limit.",
          responses: { 101: { description: "Connected." }, ...problems(400, 403) },
        },
      },
      "/v1/mcp/{session_id}": { parameters: [sessionId], ...mcp("", "for one session") },
      "/v1/mcp": {
        parameters: [{ ...sessionId, name: "MCP-Session-Id", in: "header" }],
        ...mcp("ByHeader", "for the session that the header names"),
      },
      "/health": {
        get: {
          ...operation("health", "Reports whether the proxy is running.", open),
          responses: { 200: plain("ok", "text/plain") },
        },
      },
      "/ready": {
        get: {
          ...operation("ready", "Reports whether a balancer should send requests to this instance.", open),
          responses: { 200: plain("ready", "text/plain"), 503: plain("Why not.", "text/plain") },
        },
      },
      "/metrics": {
        get: {
          ...operation("metrics", "Returns metrics for Prometheus.", operator),
          responses: { 200: plain("The metrics.", "text/plain"), ...problems(401, 403) },
        },
      },
      "/openapi.json": {
        get: {
          ...operation("describe", "Returns this description.", open),
          responses: { 200: plain("The description.", "application/json"), ...problems(403) },
        },
      },
    },
    components: { securitySchemes, schemas: openapiSchemas },
  });
}

const sessionId = { name: "session_id", in: "path", required: true, schema: { type: "string" } };

const bearer = (description: string) => ({ type: "http", scheme: "bearer", description });
const securitySchemes = {
  appToken: bearer("OPENCLAW_PROXY_APP_TOKEN. If it is empty, no token is required."),
  openclawToken: bearer("OPENCLAW_PROXY_OPENCLAW_TOKEN. If it is empty, no token is required."),
  operatorToken: bearer("OPENCLAW_PROXY_OPERATOR_TOKEN. If it is empty, the app token is accepted instead."),
  bridgeToken: bearer("The bridge_token of the session."),
  mcpToken: bearer("The mcp_token of the session."),
};
const open: object[] = [];
const app = [{ appToken: [] }];
const ownApp = [{ appToken: [] }, { bridgeToken: [] }, { operatorToken: [] }];
const operator = [{ operatorToken: [] }, { appToken: [] }];
const client = [{ openclawToken: [] }, { mcpToken: [] }];

function operation(operationId: string, summary: string, security: object[]): object {
  return { operationId, summary, security };
}

/** The three methods of MCP's Streamable HTTP. */
function mcp(suffix: string, which: string): object {
  return {
    post: {
      ...operation(`callMcp${suffix}`, `MCP over Streamable HTTP, ${which}.`, client),
      requestBody: json("JsonRpcMessage"),
      responses: {
        200: { description: "The response, as JSON or as the last event of a stream.", content: rpcContent },
        202: { description: "Accepted. There is no response." },
        ...failures(400, 401, 404, 408, 413, 429, 503),
        ...problems(403, 415),
      },
    },
    get: {
      ...operation(`listenMcp${suffix}`, `A stream of notifications, ${which}.`, client),
      responses: { 200: plain("The stream.", "text/event-stream"), ...failures(400, 401, 404), ...problems(403) },
    },
    delete: {
      ...operation(
        `leaveMcp${suffix}`,
        "Ends the streams that were opened with this token, never the session.",
        client,
      ),
      responses: { 204: { description: "Done." }, ...failures(401, 404), ...problems(403) },
    },
  };
}

const rpcContent = {
  "application/json": { schema: { $ref: "#/components/schemas/JsonRpcMessage" } },
  "text/event-stream": { schema: { type: "string" } },
};

const meanings: Readonly<Record<number, string>> = {
  400: "The request is invalid. The message says why.",
  401: "The token is missing or wrong.",
  403: "The origin of the web page, or the name in Host, is not allowed.",
  404: "There is no such session.",
  408: "The body did not arrive in time.",
  413: "The body is larger than 4 MB.",
  415: "The body is not application/json.",
  429: "Too many requests. Retry-After says when to try again.",
  503: "The proxy is at a limit, is stopping, or can't reach its sessions. Retry-After says when to try again.",
};

function problems(...statuses: number[]): object {
  return Object.fromEntries(statuses.map((status) => [status, answer("Problem", meanings[status])]));
}

function failures(...statuses: number[]): object {
  return Object.fromEntries(statuses.map((status) => [status, answer("JsonRpcFailure", meanings[status])]));
}

function answer(schema: string, description = "Done."): object {
  return { description, ...content(schema) };
}

function json(schema: string): object {
  return { required: true, ...content(schema) };
}

function content(schema: string): object {
  return { content: { "application/json": { schema: { $ref: `#/components/schemas/${schema}` } } } };
}

function plain(description: string, type: string): object {
  return {
    description,
    content: { [type]: { schema: type === "application/json" ? { type: "object" } : { type: "string" } } },
  };
}
