import { maxTools } from "../../sources/apps/session/tool-set.ts";

const text = { type: "string" };
const schema = { type: "object", description: "A JSON Schema of type object." };

const Tool = {
  type: "object",
  description: "At most 64 KB as JSON.",
  required: ["name"],
  properties: {
    name: { type: "string", pattern: "^[A-Za-z0-9_.:/-]{1,128}$", description: "Unique within the session." },
    path: { ...text, maxLength: 16_384, description: "Stored, never used." },
    title: { ...text, maxLength: 256 },
    description: { ...text, maxLength: 16_384 },
    input_schema: schema,
    output_schema: schema,
    annotations: {
      type: "object",
      properties: {
        title: text,
        readOnlyHint: { type: "boolean" },
        destructiveHint: { type: "boolean" },
        idempotentHint: { type: "boolean" },
        openWorldHint: { type: "boolean" },
      },
    },
  },
};

const tools = { type: "array", items: { $ref: "#/components/schemas/Tool" }, maxItems: maxTools };
const about = { type: "string", maxLength: 512 };
const moment = { type: "string", format: "date-time" };

/** Schemas of the request and response bodies. */
export const openapiSchemas = {
  Tool,
  SessionRequest: {
    type: "object",
    properties: {
      device_id: about,
      device_name: about,
      app_version: about,
      chat_id: about,
      tools,
      ttl_seconds: {
        type: "number",
        minimum: 1,
        description: "Time to live of the session while it is not used; up to 24 hours.",
      },
      own_tokens_only: {
        type: "boolean",
        description: "Only bridge_token and mcp_token open the session, not the shared tokens.",
      },
    },
  },
  Session: {
    type: "object",
    required: ["mcpSessionId", "bridge_url", "mcp_url", "bridge_token", "mcp_token", "ttl_seconds"],
    properties: {
      mcpSessionId: text,
      bridge_url: { ...text, description: "Where the app connects its WebSocket." },
      mcp_url: { ...text, description: "Where MCP clients connect." },
      bridge_token: {
        ...text,
        description:
          "Opens the bridge. Once it has, only this token and the operator token open the app's side of the session.",
      },
      mcp_token: { ...text, description: "Opens the MCP side of this session only." },
      ttl_seconds: { type: "number", description: "Time to live of the session while it is not used." },
    },
    additionalProperties: false,
  },
  SessionState: {
    type: "object",
    required: ["mcpSessionId", "tools", "created_at", "expires_at", "bridge_connected", "calls_in_flight"],
    properties: {
      mcpSessionId: text,
      device_id: text,
      device_name: text,
      app_version: text,
      chat_id: text,
      tools: { type: "integer" },
      created_at: moment,
      expires_at: moment,
      bridge_connected: { type: "boolean" },
      calls_in_flight: { type: "integer" },
    },
    additionalProperties: false,
  },
  SessionList: {
    type: "object",
    required: ["sessions"],
    properties: { sessions: { type: "array", items: { $ref: "#/components/schemas/SessionState" } } },
    additionalProperties: false,
  },
  Tools: { type: "object", required: ["tools"], properties: { tools } },
  Ok: { type: "object", required: ["ok"], properties: { ok: { const: true } }, additionalProperties: false },
  Problem: {
    type: "object",
    required: ["detail", "code"],
    properties: {
      detail: { ...text, description: "A message for people." },
      code: { ...text, description: "A code for programs." },
    },
    additionalProperties: false,
  },
  JsonRpcMessage: {
    type: "object",
    required: ["jsonrpc"],
    properties: { jsonrpc: { const: "2.0" }, id: { type: ["string", "number", "null"] }, method: text },
  },
  JsonRpcFailure: {
    type: "object",
    required: ["jsonrpc", "id", "error"],
    properties: {
      jsonrpc: { const: "2.0" },
      id: { type: ["string", "number", "null"] },
      error: {
        type: "object",
        required: ["code", "message"],
        properties: { code: { type: "integer" }, message: text },
      },
    },
  },
};
