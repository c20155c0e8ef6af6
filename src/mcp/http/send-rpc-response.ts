import type { ServerResponse } from "node:http";
import { Fault } from "../../core/fault.ts";
import { atTurnEnd } from "../../core/http/turn-end.ts";
import { encodeMessage, failure, type JsonRpcResponse, rpcErrorOf } from "../messages/json-rpc.ts";

/** Sends one JSON body, at the end of this turn of the loop. */
export function sendRpcResponse(
  response: ServerResponse,
  status: number,
  body: JsonRpcResponse | readonly JsonRpcResponse[],
  sessionId?: string,
): void {
  if (response.headersSent || response.destroyed) return;
  const text = encodeMessage(body);
  const length = Buffer.byteLength(text);
  atTurnEnd(() => {
    if (response.headersSent || response.destroyed) return;
    response.writeHead(
      status,
      sessionId === undefined
        ? { "content-type": "application/json", "content-length": length }
        : { "content-type": "application/json", "content-length": length, "mcp-session-id": sessionId },
    );
    response.end(text);
  });
}

/** Ends a response that has no body. */
export function sendEmpty(
  response: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string>> = {},
): void {
  if (response.headersSent || response.destroyed) return;
  response.writeHead(status, { "content-length": 0, ...headers });
  response.end();
}

/** What went wrong before a message could be served, as JSON-RPC with the status of the fault. */
export function sendRpcFault(response: ServerResponse, error: unknown): void {
  const fault = error instanceof Fault ? error : new Fault("internal", "Internal error.", { cause: error });
  // What was not read of the body would be taken for the next request.
  if (fault.code === "too-large") response.setHeader("connection", "close");
  if (fault.row.retry) response.setHeader("retry-after", "1");
  sendRpcResponse(response, fault.row.http, failure(null, rpcErrorOf(fault, "modern")));
}

/** 2026-07-28 ties these error codes to a status; the older revisions answer every served request with 200. */
const modernStatus: Readonly<Record<number, number>> = {
  [-32601]: 404,
  [-32020]: 400,
  [-32021]: 400,
  [-32022]: 400,
  [-32602]: 400,
};

export function rpcHttpStatus(answer: JsonRpcResponse, isModern: boolean): number {
  return isModern && "error" in answer ? (modernStatus[answer.error.code] ?? 200) : 200;
}
