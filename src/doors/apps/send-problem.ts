import type { ServerResponse } from "node:http";
import { toFault } from "../../core/fault.ts";

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
