import { Fault, type FaultCode } from "../../core/fault.ts";
import type { Era } from "./protocol-version.ts";

export type JsonRpcId = string | number;

export type Params = Readonly<Record<string, unknown>>;

export interface JsonRpcRequest {
  readonly jsonrpc: "2.0";
  readonly id: JsonRpcId;
  readonly method: string;
  readonly params?: Params;
}

export interface JsonRpcNotification {
  readonly jsonrpc: "2.0";
  readonly method: string;
  readonly params?: Params;
}

export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

export interface JsonRpcResult {
  readonly jsonrpc: "2.0";
  readonly id: JsonRpcId;
  readonly result: object;
}

export interface JsonRpcFailure {
  readonly jsonrpc: "2.0";
  /** `null` only where the request's id could not be read. */
  readonly id: JsonRpcId | null;
  readonly error: RpcError;
}

export type JsonRpcResponse = JsonRpcResult | JsonRpcFailure;
export type JsonRpcMessage = JsonRpcRequest | JsonRpcNotification | JsonRpcResponse;

/** An id is echoed back and kept while the request runs, so its size is bounded. */
const longestId = 1024;

export function isRequest(message: JsonRpcMessage): message is JsonRpcRequest {
  return "method" in message && "id" in message;
}

export function isNotification(message: JsonRpcMessage): message is JsonRpcNotification {
  return "method" in message && !("id" in message);
}

/** One message as it came from outside, or a fault that says which part of JSON-RPC it breaks. */
export function parseMessage(value: unknown): JsonRpcMessage {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new Fault("bad-request", "Send one JSON-RPC 2.0 object.");
  }
  const message = withoutNullError(value as Record<string, unknown>);
  if (message.jsonrpc !== "2.0") throw new Fault("bad-request", 'The field "jsonrpc" has to be "2.0".');
  const hasId = "id" in message;
  const isUnreadable = message.id === null && "error" in message && !("method" in message);
  if (hasId && !isId(message.id) && !isUnreadable) {
    throw new Fault("bad-request", `The field "id" has to be a string of at most ${longestId} characters or a number.`);
  }
  if ("method" in message) {
    if (typeof message.method !== "string") throw new Fault("bad-request", 'The field "method" has to be a string.');
    const { params } = message;
    if (params !== undefined && (typeof params !== "object" || params === null || Array.isArray(params))) {
      throw new Fault("bad-params", 'The field "params" has to be an object.');
    }
    return message as unknown as JsonRpcRequest | JsonRpcNotification;
  }
  if (hasId && ("result" in message || "error" in message)) return message as unknown as JsonRpcResponse;
  throw new Fault("bad-request", 'A message needs a "method", or an "id" with a "result" or an "error".');
}

/** JSON-RPC 1.0 had both fields in every answer, `null` in the one that does not count; some servers keep to that. */
function withoutNullError(message: Record<string, unknown>): Record<string, unknown> {
  if (message.error !== null || !("result" in message)) return message;
  const { error: _, ...rest } = message;
  return rest;
}

/** The id of something that may not even be a message, for the error that answers it. */
export function idOf(value: unknown): JsonRpcId | null {
  if (typeof value !== "object" || value === null) return null;
  const { id } = value as { id?: unknown };
  return isId(id) ? id : null;
}

export function notification(method: string, params?: Params): JsonRpcNotification {
  return params === undefined ? { jsonrpc: "2.0", method } : { jsonrpc: "2.0", method, params };
}

function isId(id: unknown): id is JsonRpcId {
  return typeof id === "string" ? id.length <= longestId : typeof id === "number" && Number.isFinite(id);
}

/**
 * A message as text. An answer that JSON can't hold (a loop, a BigInt, nested too deep) becomes an error under the same
 * id: its client would wait for good otherwise.
 */
export function encodeMessage(message: JsonRpcMessage | readonly JsonRpcResponse[]): string {
  try {
    return JSON.stringify(message);
  } catch (cause) {
    if (isBatch(message)) return `[${message.map(encodeMessage).join(",")}]`;
    if ("method" in message) throw cause;
    const fault = new Fault("internal", "The result can't be written as JSON.", { cause });
    return JSON.stringify(failure(message.id, rpcErrorOf(fault, "legacy")));
  }
}

function isBatch(message: JsonRpcMessage | readonly JsonRpcResponse[]): message is readonly JsonRpcResponse[] {
  return Array.isArray(message);
}

/** The wire form of whatever went wrong. What we did not throw on purpose is told to the log, not to the client. */
export function rpcErrorOf(error: unknown, era: Era): RpcError {
  if (error instanceof RpcFault) return error.error;
  if (!(error instanceof Fault)) {
    return { code: -32603, message: "Internal error. The server's log says more." };
  }
  const code = era === "legacy" ? (legacyCodes[error.code] ?? error.row.rpc) : error.row.rpc;
  return error.detail === undefined
    ? { code, message: error.message }
    : { code, message: error.message, data: error.detail };
}

export function failure(id: JsonRpcId | null, error: RpcError): JsonRpcFailure {
  return { jsonrpc: "2.0", id, error };
}

/** 2025-11-25 and earlier had a number of their own for this; 2026-07-28 forbids it. */
const legacyCodes: Partial<Record<FaultCode, number>> = { "unknown-resource": -32002 };

/** A JSON-RPC error another server answered with: passed on as it came, its message bounded. */
export class RpcFault extends Fault {
  readonly error: RpcError;

  constructor(error: RpcError) {
    super(
      "unavailable",
      typeof error.message === "string" ? error.message.slice(0, 2000) : "The server gave no reason.",
      { detail: error.data },
    );
    this.error = { ...error, message: this.message };
  }
}
