import type { ServerResponse } from "node:http";
import { endWithText } from "./end-with-text.ts";
import { prepareToSend } from "./turn-end.ts";

export function sendJson(response: ServerResponse, status: number, body: object): void {
  sendText(response, status, "application/json", JSON.stringify(body));
}

/** Does nothing if the response has begun or its connection is gone. */
export function sendText(
  response: ServerResponse,
  status: number,
  type: string,
  text: string,
  headers?: Readonly<Record<string, string>>,
): void {
  if (response.headersSent || response.destroyed) return;
  prepareToSend();
  const length = Buffer.byteLength(text);
  response.writeHead(status, { "content-type": type, "content-length": length, ...headers });
  endWithText(response, text, length);
}

/** Ends a response that has no body. */
export function sendEmpty(response: ServerResponse, status: number, headers?: Readonly<Record<string, string>>): void {
  if (response.headersSent || response.destroyed) return;
  response.writeHead(status, { "content-length": 0, ...headers });
  response.end();
}

export const plainTextType = "text/plain; charset=utf-8";
