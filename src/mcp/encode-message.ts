import { Fault } from "../core/fault.ts";
import type { JsonRpcMessage, JsonRpcResponse } from "./json-rpc.ts";
import { failure, rpcErrorOf } from "./rpc-failure.ts";

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
