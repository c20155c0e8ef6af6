import type { IncomingMessage, ServerResponse } from "node:http";
import { Fault } from "../../core/fault.ts";
import type { CountEvent } from "../../sources/apps/app-event.ts";
import { type MemoryBudget, memoryLimitMessage, smallPiece } from "../../sources/apps/memory-budget.ts";

/** Bytes of the largest registration or MCP request. */
export const maxBodyBytes = 4 * 1024 * 1024;
/** Requests that the proxy serves at the same time. */
export const mostConcurrent = 4096;

/**
 * Counts the body of a request in the budget until the response is closed. A body of unknown length counts as the
 * largest that is allowed.
 */
export function reserveBody(
  { headers }: IncomingMessage,
  response: ServerResponse,
  budget: MemoryBudget,
  count: CountEvent,
): void {
  const declared = headers["transfer-encoding"] === undefined ? Number(headers["content-length"] ?? 0) : maxBodyBytes;
  const bytes = Math.min(declared, maxBodyBytes);
  if (!(bytes > smallPiece)) return;
  if (!budget.take(bytes)) {
    count("refused for memory");
    throw new Fault("busy", memoryLimitMessage);
  }
  response.once("close", () => budget.give(bytes));
}
