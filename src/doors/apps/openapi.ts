/** The HTTP side of the proxy, described for programs (OpenAPI 3.1). */
export function openapiText(version: string): string {
  return JSON.stringify({
    openapi: "3.1.0",
    info: { title: "Clawport app proxy", version, description: "Tools of running apps, callable over MCP." },
    paths: {
      "/v1/chat/sessions": {
        post: operation("Open a session with its tools.", app, { body: "SessionRequest", answer: "Session" }),
        get: operation("List the sessions, for whoever runs the proxy.", app, { answer: "SessionList" }),
      },
      "/v1/chat/sessions/{session_id}": {
        parameters: [sessionId],
        get: operation("Look at a session.", app, { answer: "SessionState" }),
        patch: operation("Replace the tools of a session; clients are told.", app, { body: "Tools", answer: "Ok" }),
        delete: operation("Delete a session.", app, { answer: "Ok" }),
      },
      "/v1/chat/sessions/{session_id}/bridge": {
        parameters: [sessionId],
        get: {
          summary: "The bridge of the app: a WebSocket.",
          security: app,
          responses: { 101: { description: "Connected. Closes with 4401 or 4404 where it may not be." } },
        },
      },
      "/v1/mcp/{session_id}": {
        parameters: [sessionId],
        post: operation("MCP over Streamable HTTP, for one session.", openclaw, mcp),
      },
      "/v1/mcp": {
        parameters: [{ ...sessionId, name: "MCP-Session-Id", in: "header" }],
        post: operation("MCP over Streamable HTTP; the header says for which session.", openclaw, mcp),
      },
      "/health": {
        get: { summary: "Whether the proxy is there.", security: [], responses: { 200: { description: "ok" } } },
      },
    },
    components: { securitySchemes: { appToken: bearer, openclawToken: bearer }, schemas },
  });
}

const app = [{ appToken: [] }];
const openclaw = [{ openclawToken: [] }];
const bearer = { type: "http", scheme: "bearer" };
const mcp = { body: "JsonRpc", answer: "JsonRpc" };
const sessionId = { name: "session_id", in: "path", required: true, schema: { type: "string" } };
const text = { type: "string" };

const tool = {
  type: "object",
  required: ["name"],
  properties: {
    name: { type: "string", pattern: "^[A-Za-z0-9_.:/-]{1,128}$" },
    path: text,
    title: text,
    description: text,
    input_schema: { type: "object" },
    output_schema: { type: "object" },
    annotations: { type: "object" },
  },
};
const tools = { type: "array", items: tool };

const state = {
  type: "object",
  properties: {
    mcpSessionId: text,
    device_id: text,
    device_name: text,
    app_version: text,
    chat_id: text,
    tools: { type: "integer" },
    created_at: text,
    expires_at: text,
    bridge_connected: { type: "boolean" },
    calls_in_flight: { type: "integer" },
  },
};

const schemas = {
  SessionRequest: {
    type: "object",
    properties: {
      device_id: text,
      device_name: text,
      app_version: text,
      chat_id: text,
      tools,
      ttl_seconds: { type: "number", minimum: 1 },
      own_tokens_only: { type: "boolean" },
    },
  },
  Session: {
    type: "object",
    required: ["mcpSessionId", "bridge_url", "mcp_url", "bridge_token", "mcp_token"],
    properties: { mcpSessionId: text, bridge_url: text, mcp_url: text, bridge_token: text, mcp_token: text },
  },
  SessionState: state,
  SessionList: { type: "object", properties: { sessions: { type: "array", items: state } } },
  Tools: { type: "object", required: ["tools"], properties: { tools } },
  Ok: { type: "object", properties: { ok: { const: true } } },
  Problem: { type: "object", properties: { detail: text, code: text } },
  JsonRpc: { type: "object" },
};

function operation(summary: string, security: object[], { body, answer }: { body?: string; answer: string }): object {
  return {
    summary,
    security,
    ...(body === undefined ? {} : { requestBody: { required: true, content: json(body) } }),
    responses: {
      200: { description: "Done.", content: json(answer) },
      default: { description: "What went wrong.", content: json("Problem") },
    },
  };
}

function json(schema: string): object {
  return { "application/json": { schema: { $ref: `#/components/schemas/${schema}` } } };
}
