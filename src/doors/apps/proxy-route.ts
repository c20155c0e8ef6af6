import type { IncomingMessage } from "node:http";
import { isLoopbackPeer } from "../../core/http/addresses.ts";

/** What a path of the proxy leads to. */
export type ProxyRoute =
  | { readonly kind: "health" | "ready" | "openapi" | "metrics" | "sessions" | "unknown" }
  /** Without an id the header `MCP-Session-Id` names the session. */
  | { readonly kind: "mcp"; readonly id: string | undefined }
  | { readonly kind: "session" | "bridge"; readonly id: string };

const fixedRoutes: Readonly<Record<string, ProxyRoute>> = {
  "/health": { kind: "health" },
  "/ready": { kind: "ready" },
  "/openapi.json": { kind: "openapi" },
  "/metrics": { kind: "metrics" },
  "/v1/chat/sessions": { kind: "sessions" },
  "/v1/chat/sessions/": { kind: "sessions" },
  "/v1/mcp": { kind: "mcp", id: undefined },
  "/v1/mcp/": { kind: "mcp", id: undefined },
};

const idShape = "[A-Za-z0-9_-]{1,64}";
const sessionPath = new RegExp(`^/v1/(mcp|chat/sessions)/(${idShape})(/bridge)?/?$`);
const wholeId = new RegExp(`^${idShape}$`);

/** Whether the value can be the id of a session. */
export function isSessionId(value: unknown): value is string {
  return typeof value === "string" && wholeId.test(value);
}

export function parseProxyRoute(url: string): ProxyRoute {
  const end = url.indexOf("?");
  const path = end < 0 ? url : url.slice(0, end);
  if (Object.hasOwn(fixedRoutes, path)) return fixedRoutes[path]!;
  const [, area, id, bridge] = sessionPath.exec(path) ?? [];
  if (id === undefined) return unknownRoute;
  if (area === "mcp") return bridge === undefined ? { kind: "mcp", id } : unknownRoute;
  return { kind: bridge === undefined ? "session" : "bridge", id };
}

const unknownRoute: ProxyRoute = { kind: "unknown" };

export interface SessionUrlFacts {
  readonly publicUrl: string | undefined;
  readonly host: string | undefined;
  /** `X-Forwarded-Proto`, if its sender is trusted. */
  readonly forwardedProto: string | undefined;
}

/** The addresses of a session, under the public URL if there is one, else under the host of this request. */
export function sessionUrls(sessionId: string, facts: SessionUrlFacts): { bridge_url: string; mcp_url: string } {
  const base =
    facts.publicUrl ?? `${facts.forwardedProto === "https" ? "https" : "http"}://${facts.host ?? "localhost"}`;
  const http = base.replace(/\/+$/, "");
  const ws = http.replace(/^http/, "ws");
  return { bridge_url: `${ws}/v1/chat/sessions/${sessionId}/bridge`, mcp_url: `${http}/v1/mcp/${sessionId}` };
}

/** `X-Forwarded-Proto` counts if this machine sent it, or if the proxy was told to trust every sender. */
export function sessionUrlFacts(
  { headers, socket }: IncomingMessage,
  { publicUrl, trustForwarded }: { readonly publicUrl: string | undefined; readonly trustForwarded: boolean },
): SessionUrlFacts {
  const proto = headers["x-forwarded-proto"];
  const isTrusted = trustForwarded || isLoopbackPeer(socket.remoteAddress);
  return {
    publicUrl,
    host: headers.host,
    forwardedProto: isTrusted && typeof proto === "string" ? proto.split(",")[0]?.trim() : undefined,
  };
}
