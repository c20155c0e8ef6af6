import type { ServerResponse } from "node:http";
import { Fault, type FaultCode, toFault } from "../../core/fault.ts";
import { sendRpcFault } from "../../mcp/http/send-rpc-response.ts";
import type { AppEvent } from "../../sources/apps/app-event.ts";
import type { ProxyRoute } from "./proxy-route.ts";

export function sendBody(response: ServerResponse, status: number, body: unknown): void {
  send(response, status, "application/json", JSON.stringify(body));
}

export function sendText(response: ServerResponse, text: string, type = "text/plain; charset=utf-8"): void {
  send(response, 200, type, text);
}

/** What went wrong, on the app's side of the proxy: `detail` for a person, `code` for a program. */
export function sendProblem(response: ServerResponse, error: unknown): void {
  const { code, message, row } = toFault(error);
  // What was not read of the body would be taken for the next request.
  if (!response.req.complete) response.setHeader("connection", "close");
  if (row.retry) response.setHeader("retry-after", "1");
  if (row.http === 401) response.setHeader("www-authenticate", "Bearer");
  sendBody(response, row.http, { detail: code === "internal" ? "Internal error." : message, code });
}

function send(response: ServerResponse, status: number, type: string, text: string): void {
  if (response.headersSent || response.destroyed) return;
  response.writeHead(status, { "content-type": type, "content-length": Buffer.byteLength(text) });
  response.end(text);
}

/** Answers a request that failed: with a JSON-RPC error on the MCP paths, with a problem on all others. */
export function sendFailure(response: ServerResponse, route: ProxyRoute, error: unknown): void {
  if (route.kind !== "mcp") return sendProblem(response, error);
  if (!response.req.complete) response.setHeader("connection", "close");
  sendRpcFault(response, error);
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
  "unknown-session": "unknown session",
  "bad-json": "bad request",
  "bad-method": "bad request",
  "bad-params": "bad request",
  "bad-request": "bad request",
  "not-found": "bad request",
  busy: "busy",
};
