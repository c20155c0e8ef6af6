import type { ServerResponse } from "node:http";
import {
  hasRepeatedHost,
  isAllowedHost,
  isJson,
  isKnownHttpVersion,
  type RequestHeaders,
} from "../../core/http/request-headers.ts";

/** What the gate knows about a request. Tokens are checked later. */
export interface ProxyRequestFacts {
  readonly method: string;
  /** Names in lower case, as Node gives them. */
  readonly headers: RequestHeaders;
  /** Names and values in turn, as they came. */
  readonly rawHeaders: readonly string[];
  /** `1.1` */
  readonly httpVersion: string;
}

export interface ProxyGateRules {
  /** Allowed host names besides those of this machine, in lower case. Without a port, any port is allowed. */
  readonly allowedHosts: readonly string[];
  /** Allowed web origins, written as a browser writes them: `https://app.example.com`. */
  readonly allowedOrigins: readonly string[];
}

export type ProxyVerdict =
  | { readonly pass: true; readonly origin: string | undefined }
  | { readonly pass: false; readonly status: number; readonly code: string; readonly reason: string };

/**
 * Whether the origin, the host and the content type of a request are allowed. A web page in a browser on this machine
 * can reach every port of it. Its origin identifies it, and a name of an attacker that resolves to this machine (DNS
 * rebinding) shows in the Host header.
 */
export function judgeProxyRequest(facts: ProxyRequestFacts, rules: ProxyGateRules): ProxyVerdict {
  const { method, headers } = facts;
  const { origin, host } = headers;
  if (origin !== undefined && (typeof origin !== "string" || !rules.allowedOrigins.includes(origin)))
    return originNotAllowed;
  if (!isKnownHttpVersion(facts.httpVersion)) return wrongVersion;
  if (hasRepeatedHost(facts.rawHeaders)) return twoHosts;
  if (!isAllowedHost(host, rules.allowedHosts)) return hostNotAllowed;
  if ((method === "POST" || method === "PATCH") && !isJson(headers["content-type"])) return notJson;
  return { pass: true, origin };
}

const originNotAllowed: ProxyVerdict = {
  pass: false,
  status: 403,
  code: "denied",
  reason: "Web pages of this origin are not allowed. Start the proxy with `--allow-origin` to allow them.",
};
const wrongVersion: ProxyVerdict = { pass: false, status: 505, code: "bad-request", reason: "Use HTTP/1.1." };
const twoHosts: ProxyVerdict = { pass: false, status: 400, code: "bad-request", reason: "Send one Host header." };
const hostNotAllowed: ProxyVerdict = {
  pass: false,
  status: 403,
  code: "denied",
  reason:
    "The name in the Host header is not allowed. Start the proxy with `--public-url` or `--allow-host` to allow it.",
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
