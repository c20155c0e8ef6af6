import { type ExactNumber, isExactNumber, sharedExactNumber } from "../../core/exact-number.ts";
import { Fault, type FaultCode } from "../../core/fault.ts";
import { asRecord, isRecord } from "../../core/is-record.ts";
import { quoted } from "../../core/text/peer-text.ts";
import type { Era } from "./protocol-version.ts";
import { largeResponseParts } from "./result-text.ts";

export type JsonRpcId = string | number | ExactNumber;

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
  /** `null` only if the id of the request could not be read. */
  readonly id: JsonRpcId | null;
  readonly error: RpcError;
}

export type JsonRpcResponse = JsonRpcResult | JsonRpcFailure;
export type JsonRpcMessage = JsonRpcRequest | JsonRpcNotification | JsonRpcResponse;

/** An id is echoed back, and stored while the request runs, so its size is bounded. */
const maxIdLength = 1024;

export function isRequest(message: JsonRpcMessage): message is JsonRpcRequest {
  return "method" in message && "id" in message;
}

export function isNotification(message: JsonRpcMessage): message is JsonRpcNotification {
  return "method" in message && !("id" in message);
}

/** Reads one message of a peer. The fault says which rule of JSON-RPC it breaks. */
export function parseMessage(value: unknown): JsonRpcMessage {
  if (!isRecord(value)) throw new Fault("bad-request", "Send one JSON-RPC 2.0 object.");
  const message = withoutNullError(value);
  if (message.jsonrpc !== "2.0") throw new Fault("bad-request", 'The field "jsonrpc" must be "2.0".');
  const hasId = "id" in message;
  const isErrorWithoutId = message.id === null && "error" in message && !("method" in message);
  if (hasId && !isId(message.id) && !isErrorWithoutId) {
    throw new Fault("bad-request", `The field "id" must be a string of at most ${maxIdLength} characters or a number.`);
  }
  if (isExactNumber(message.id)) message.id = sharedExactNumber(message.id);
  if ("method" in message) {
    if (typeof message.method !== "string") throw new Fault("bad-request", 'The field "method" must be a string.');
    const { params } = message;
    if (params !== undefined && !isRecord(params)) {
      throw new Fault("bad-params", 'The field "params" must be an object.');
    }
    return message as unknown as JsonRpcRequest | JsonRpcNotification;
  }
  if (hasId && ("result" in message || "error" in message)) return message as unknown as JsonRpcResponse;
  throw new Fault("bad-request", 'A message needs a "method", or an "id" with a "result" or an "error".');
}

/** JSON-RPC 1.0 put both fields into every response, the unused one as `null`. Some servers still do. */
function withoutNullError(message: Record<string, unknown>): Record<string, unknown> {
  if (message.error !== null || !("result" in message)) return message;
  const { error: _, ...rest } = message;
  return rest;
}

/** The id of a value that may not be a valid message, for the error response. */
export function idOf(value: unknown): JsonRpcId | null {
  if (typeof value !== "object" || value === null) return null;
  const { id } = value as { id?: unknown };
  return isId(id) ? id : null;
}

export function notification(method: string, params?: Params): JsonRpcNotification {
  return params === undefined ? { jsonrpc: "2.0", method } : { jsonrpc: "2.0", method, params };
}

/** A request id, or what else may be one: a progress token, the request that is cancelled. The same object for the same id. */
export function readId(id: unknown): JsonRpcId | undefined {
  return isExactNumber(id) ? sharedExactNumber(id) : isId(id) ? id : undefined;
}

function isId(id: unknown): id is JsonRpcId {
  if (typeof id === "string") return id.length <= maxIdLength;
  return isExactNumber(id) ? id.rawJSON.length <= maxIdLength : typeof id === "number" && Number.isFinite(id);
}

/**
 * A message as text. A response that JSON can't represent (a cycle, a BigInt, nested too deep) becomes an error with the
 * same id; otherwise the client would wait forever.
 */
export function encodeMessage(message: JsonRpcMessage | readonly JsonRpcResponse[]): string {
  try {
    const passed = "result" in message ? largeResponseParts(message.id, message.result)?.join("") : undefined;
    return passed ?? JSON.stringify(message);
  } catch (cause) {
    if (isBatch(message)) return `[${message.map(encodeMessage).join(",")}]`;
    if ("method" in message) throw cause;
    return JSON.stringify(notJson(message.id, cause));
  }
}

export function notJson(id: JsonRpcId | null, cause: unknown): JsonRpcFailure {
  const fault = new Fault("internal", "The result can't be represented as JSON.", { cause });
  return failure(id, rpcErrorOf(fault, "legacy"));
}

export function isBatch(message: object): message is readonly JsonRpcResponse[] {
  return Array.isArray(message);
}

/** An error as it goes to the client. The details of an unexpected error go only to the log. */
export function rpcErrorOf(error: unknown, era: Era): RpcError {
  if (error instanceof RpcFault) return era === "modern" ? modernError(error.error) : error.error;
  if (!(error instanceof Fault)) {
    return { code: -32603, message: "Internal error. See the server's log for details." };
  }
  const code = era === "legacy" ? (legacyCodes[error.code] ?? error.row.rpc) : error.row.rpc;
  return error.detail === undefined
    ? { code, message: error.message }
    : { code, message: error.message, data: error.detail };
}

export function failure(id: JsonRpcId | null, error: RpcError): JsonRpcFailure {
  return { jsonrpc: "2.0", id, error };
}

/** The number that 2025-11-25 and earlier have for a resource that does not exist; 2026-07-28 forbids it. */
export const legacyResourceNotFound = -32002;
const legacyCodes: Partial<Record<FaultCode, number>> = { "unknown-resource": legacyResourceNotFound };

/** 2025-11-25: the user must open a URL before the request can succeed. 2026-07-28 forbids it. */
export const urlElicitationRequired = -32042;

/**
 * The error of another server as 2026-07-28 (Error Codes) allows it: two older numbers must not be sent, nor any of
 * -32020 to -32099 that the revision does not define.
 */
function modernError(error: RpcError): RpcError {
  const { code, message } = error;
  if (code === legacyResourceNotFound) return { ...error, code: -32602 };
  if (code === urlElicitationRequired) return { code: -32603, message };
  return code >= -32099 && code <= -32023 ? { ...error, code: -32603 } : error;
}

/** A JSON-RPC error from another server, passed on unchanged except that its message is bounded. */
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

const busyMark = { "clawport/code": "busy" };

/** There is no room for this call now, and nothing was done. Over HTTP the answer has the status 503. */
export class BusyFault extends RpcFault {
  constructor(message: string) {
    super({ code: -32603, message, data: busyMark });
  }
}

export function isBusyError({ data }: RpcError): boolean {
  return asRecord(data)["clawport/code"] === busyMark["clawport/code"];
}

/** The JSON-RPC error that a client sent instead of an answer to a question. It says nothing about the server that asked. */
export class AnswerFault extends Fault {
  readonly error: RpcError;

  constructor(error: unknown) {
    const { code, message, data } = asRecord(error);
    const reason = typeof message === "string" ? message.slice(0, 2000) : "The client gave no reason.";
    super("unanswered", `The client could not answer: ${quoted(reason, 300)}`);
    this.error = {
      code: Number.isSafeInteger(code) ? (code as number) : -32603,
      message: reason,
      ...(data === undefined ? {} : { data }),
    };
  }
}
