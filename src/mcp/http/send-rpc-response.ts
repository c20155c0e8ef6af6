import type { ServerResponse } from "node:http";
import { Fault } from "../../core/fault.ts";
import { endWithTexts, sizedText } from "../../core/http/end-with-text.ts";
import { leavesBodyUnread } from "../../core/http/read-body.ts";
import { sendText } from "../../core/http/send-json.ts";
import { atTurnEnd, prepareToSend } from "../../core/http/turn-end.ts";
import type { EncodedMessage } from "../messages/encoded-message.ts";
import { encodeMessage, failure, isBusyError, type JsonRpcResponse, rpcErrorOf } from "../messages/json-rpc.ts";
import { largeResponseParts } from "../messages/result-text.ts";

/** Sends one JSON body, at the end of this turn of the event loop. */
export function sendRpcResponse(
  response: ServerResponse,
  status: number,
  body: JsonRpcResponse | readonly JsonRpcResponse[] | EncodedMessage,
  sessionId?: string,
): void {
  if (response.headersSent || response.destroyed) return;
  const headers = sessionId === undefined ? undefined : { "mcp-session-id": sessionId };
  if ("pieces" in body) return sendPieces(response, status, body, headers);
  const parts = "result" in body ? largeResponseParts(body.id, body.result) : undefined;
  if (parts) return sendParts(response, status, parts, headers);
  const text = encodeMessage(body);
  atTurnEnd(() => sendText(response, status, "application/json", text, headers));
}

function sendParts(
  response: ServerResponse,
  status: number,
  parts: readonly string[],
  headers: Readonly<Record<string, string>> | undefined,
): void {
  const texts = parts.map(sizedText);
  const length = texts.reduce((sum, { bytes }) => sum + bytes, 0);
  prepareToSend();
  response.writeHead(status, { "content-type": "application/json", "content-length": length, ...headers });
  endWithTexts(response, texts);
}

function sendPieces(
  response: ServerResponse,
  status: number,
  { pieces, bytes }: EncodedMessage,
  headers: Readonly<Record<string, string>> | undefined,
): void {
  prepareToSend();
  response.writeHead(status, { "content-type": "application/json", "content-length": bytes, ...headers });
  for (const piece of pieces) response.write(piece);
  response.end();
}

/** Reports an error that came before any message was served, with the HTTP status of its fault. */
export function sendRpcFault(response: ServerResponse, error: unknown): void {
  const fault = error instanceof Fault ? error : new Fault("internal", "Internal error.", { cause: error });
  if (leavesBodyUnread(response.req, fault)) response.setHeader("connection", "close");
  if (fault.row.retry) response.setHeader("retry-after", "1");
  sendRpcResponse(response, fault.row.http, failure(null, rpcErrorOf(fault, "modern")));
}

/** 2026-07-28 assigns an HTTP status to these codes. The older revisions answer every served request with 200. */
const modernStatus: Readonly<Record<number, number>> = {
  [-32601]: 404,
  [-32020]: 400,
  [-32021]: 400,
  [-32022]: 400,
  [-32602]: 400,
};

export function rpcHttpStatus(answer: JsonRpcResponse, isModern: boolean): number {
  if (!("error" in answer)) return 200;
  if (isBusyError(answer.error)) return 503;
  return isModern ? (modernStatus[answer.error.code] ?? 200) : 200;
}
