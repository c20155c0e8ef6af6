import { Fault, type FaultCode } from "../core/fault.ts";
import type { JsonRpcFailure, JsonRpcId, RpcError } from "./json-rpc.ts";
import { RpcFault } from "./rpc-fault.ts";
import type { Era } from "./protocol-version.ts";

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
