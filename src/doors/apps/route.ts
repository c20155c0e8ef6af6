/** What a path of the proxy stands for. */
export type Route =
  | { readonly kind: "health" | "openapi" | "metrics" | "sessions" | "unknown" }
  /** Without an id the header `MCP-Session-Id` names the session. */
  | { readonly kind: "mcp"; readonly id: string | undefined }
  | { readonly kind: "session" | "bridge"; readonly id: string };

const fixed: Readonly<Record<string, Route>> = {
  "/health": { kind: "health" },
  "/openapi.json": { kind: "openapi" },
  "/metrics": { kind: "metrics" },
  "/v1/chat/sessions": { kind: "sessions" },
  "/v1/chat/sessions/": { kind: "sessions" },
  "/v1/mcp": { kind: "mcp", id: undefined },
  "/v1/mcp/": { kind: "mcp", id: undefined },
};

const idShape = "[A-Za-z0-9_-]{1,64}";
const named = new RegExp(`^/v1/(mcp|chat/sessions)/(${idShape})(/bridge)?/?$`);
const wholeId = new RegExp(`^${idShape}$`);

/** Whether it can be the id of a session. */
export function isSessionId(value: unknown): value is string {
  return typeof value === "string" && wholeId.test(value);
}

export function parseRoute(url: string): Route {
  const end = url.indexOf("?");
  const path = end < 0 ? url : url.slice(0, end);
  if (Object.hasOwn(fixed, path)) return fixed[path]!;
  const [, area, id, bridge] = named.exec(path) ?? [];
  if (id === undefined) return unknown;
  if (area === "mcp") return bridge === undefined ? { kind: "mcp", id } : unknown;
  return { kind: bridge === undefined ? "session" : "bridge", id };
}

const unknown: Route = { kind: "unknown" };
