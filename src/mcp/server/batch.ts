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

/** More messages in one batch than any client of the revisions that have them sends. */
const mostInBatch = 100;

/** Faults where the revision has no batches, and where the batch is not of a size that is taken. */
export function requireBatch(batch: readonly unknown[], version: string | undefined): void {
  if (!allowsBatches(version)) {
    throw new Fault("bad-request", "This revision of the protocol has no batches. Send one message at a time.");
  }
  if (batch.length === 0 || batch.length > mostInBatch) {
    throw new Fault("bad-request", `A batch holds 1 to ${mostInBatch} messages.`);
  }
}

/** Serves the messages of a batch side by side. Resolves to the answers, or to nothing where none is due. */
export async function serveEach(
  batch: readonly unknown[],
  serve: (message: JsonRpcMessage) => Promise<JsonRpcResponse | undefined>,
): Promise<readonly JsonRpcResponse[] | undefined> {
  const answers = await Promise.all(
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
  const sent = answers.filter((answer) => answer !== undefined);
  return sent.length > 0 ? sent : undefined;
}

/** 2025-03-26 forbids `initialize` here. Modern requests know no batches: over HTTP each has headers of its own to match. */
function requireBatchable(message: JsonRpcMessage): void {
  if (!isRequest(message)) return;
  if (message.method === "initialize") throw new Fault("bad-request", "initialize can't be part of a batch.");
  if (isModernRequest(message, undefined)) {
    throw new Fault("bad-request", "Requests of 2026-07-28 can't be part of a batch. Send each alone.");
  }
}
