import type { ServerResponse } from "node:http";
import { isAllowedHost, isJson, type RequestHeaders } from "../../core/http/request-headers.ts";

/** What is known about a request before its token is looked at. */
export interface ProxyRequestFacts {
  readonly method: string;
  /** Names in lower case, as Node gives them. */
  readonly headers: RequestHeaders;
}

export interface ProxyGateRules {
  /** Host names that count besides those of this machine, in lower case; with a port only that port, without one any. */
  readonly allowedHosts: readonly string[];
  /** Web origins that may call, written as a browser writes them: `https://app.example.com`. */
  readonly allowedOrigins: readonly string[];
}

export type ProxyVerdict =
  | { readonly pass: true; readonly origin: string | undefined }
  | { readonly pass: false; readonly status: number; readonly code: string; readonly reason: string };

/**
 * Whether a request comes from where requests may come from. A page in a browser on this machine reaches every port of
 * it: its origin gives it away, and a name of an attacker's that leads here (DNS rebinding) shows in the Host header.
 */
export function judgeProxyRequest({ method, headers }: ProxyRequestFacts, rules: ProxyGateRules): ProxyVerdict {
  const { origin, host } = headers;
  if (origin !== undefined && (typeof origin !== "string" || !rules.allowedOrigins.includes(origin))) return webPage;
  if (!isAllowedHost(host, rules.allowedHosts)) return strangeHost;
  if ((method === "POST" || method === "PATCH") && !isJson(headers["content-type"])) return notJson;
  return { pass: true, origin };
}

const webPage: ProxyVerdict = {
  pass: false,
  status: 403,
  code: "denied",
  reason: "Web pages of this origin may not connect. Start the proxy with --allow-origin to let them.",
};
const strangeHost: ProxyVerdict = {
  pass: false,
  status: 403,
  code: "denied",
  reason: "The Host header names another machine. Start the proxy with --public-url or --allow-host to be known by it.",
};
const notJson: ProxyVerdict = {
  pass: false,
  status: 415,
  code: "bad-request",
  reason: "Send the header Content-Type: application/json.",
};

/** Lets the page of an allowed origin read the response. Returns true if the request was a preflight, which is then answered. */
export function answerCors(response: ServerResponse, method: string, origin: string): boolean {
  response.setHeader("access-control-allow-origin", origin);
  response.setHeader("vary", "origin");
  if (method !== "OPTIONS") return false;
  response.writeHead(204, preflightHeaders).end();
  return true;
}

const preflightHeaders = {
  "access-control-allow-methods": "GET, POST, PATCH, DELETE",
  "access-control-allow-headers":
    "authorization, content-type, mcp-session-id, mcp-protocol-version, mcp-method, mcp-name",
  "access-control-max-age": "600",
};
