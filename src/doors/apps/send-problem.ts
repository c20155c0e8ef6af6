import type { ServerResponse } from "node:http";
import { Fault, type FaultCode, toFault } from "../../core/fault.ts";
import { sendJson } from "../../core/http/send-json.ts";
import { sendRpcFault } from "../../mcp/http/send-rpc-response.ts";
import type { AppEvent } from "../../sources/apps/app-event.ts";
import type { ProxyRoute } from "./proxy-route.ts";

/** Answers a request that failed: with a JSON-RPC error on the MCP paths, with a problem on all others. */
export function sendFailure(response: ServerResponse, route: ProxyRoute, error: unknown): void {
  if (route.kind !== "mcp") return sendProblem(response, error);
  if (!response.req.complete) response.setHeader("connection", "close");
  sendRpcFault(response, error);
}

/** The error response of all paths but MCP: `detail` for people, `code` for programs. */
function sendProblem(response: ServerResponse, error: unknown): void {
  const { code, message, row } = toFault(error);
  // The unread part of the body would be taken for the next request.
  if (!response.req.complete) response.setHeader("connection", "close");
  if (row.retry) response.setHeader("retry-after", "1");
  if (row.http === 401) response.setHeader("www-authenticate", "Bearer");
  sendJson(response, row.http, { detail: code === "internal" ? "Internal error." : message, code });
}

/** The fault for a method that the path does not have. */
export function wrongMethod(response: ServerResponse, allow: string): Fault {
  response.setHeader("allow", allow);
  return new Fault("bad-method", `Use ${allow} here.`);
}

/** The event that a refusal counts as; undefined for failures of the proxy itself, which are logged instead. */
export function refusalEvent(code: FaultCode): AppEvent | undefined {
  return refusalEvents[code];
}

const refusalEvents: Partial<Record<FaultCode, AppEvent>> = {
  unauthorized: "refused token",
  "rate-limited": "rate limited",
  "too-large": "too large",
  "slow-request": "bad request",
  "unknown-session": "unknown session",
  "bad-json": "bad request",
  "bad-method": "bad request",
  "bad-params": "bad request",
  "bad-request": "bad request",
  "not-found": "bad request",
  busy: "busy",
  stopping: "busy",
};
