import { Fault } from "../../core/fault.ts";
import { isModernRequest } from "../messages/envelope.ts";
import {
  failure,
  idOf,
  isRequest,
  type JsonRpcMessage,
  type JsonRpcResponse,
  parseMessage,
  rpcErrorOf,
} from "../messages/json-rpc.ts";
import { allowsBatches } from "../messages/protocol-version.ts";

/** More messages than any real client sends in one batch. */
const maxInBatch = 100;

/** Faults if the revision has no batches, or the batch is empty or too large. */
export function requireBatch(batch: readonly unknown[], version: string | undefined): void {
  if (!allowsBatches(version)) {
    throw new Fault("bad-request", "This protocol version has no batches. Send one message at a time.");
  }
  if (batch.length === 0 || batch.length > maxInBatch) {
    throw new Fault("bad-request", `A batch must have 1 to ${maxInBatch} messages.`);
  }
}

/** Serves the messages of a batch concurrently. Resolves to the responses, or to undefined if none is due. */
export async function serveEach(
  batch: readonly unknown[],
  serve: (message: JsonRpcMessage) => Promise<JsonRpcResponse | undefined>,
): Promise<readonly JsonRpcResponse[] | undefined> {
  const responses = await Promise.all(
    batch.map(async (value) => {
      try {
        const message = parseMessage(value);
        requireBatchable(message);
        return await serve(message);
      } catch (error) {
        return failure(idOf(value), rpcErrorOf(error, "legacy"));
      }
    }),
  );
  const due = responses.filter((response) => response !== undefined);
  return due.length > 0 ? due : undefined;
}

/** 2025-03-26 forbids `initialize` in a batch. Modern requests have no batches, since each needs matching HTTP headers. */
function requireBatchable(message: JsonRpcMessage): void {
  if (!isRequest(message)) return;
  if (message.method === "initialize") throw new Fault("bad-request", "initialize can't be part of a batch.");
  if (isModernRequest(message, undefined)) {
    throw new Fault("bad-request", "Requests of 2026-07-28 can't be part of a batch. Send each one on its own.");
  }
}
