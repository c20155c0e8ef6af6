import type { IncomingMessage, ServerResponse } from "node:http";
import { Fault } from "../../core/fault.ts";
import { createShares } from "../../core/http/shares.ts";
import type { CountEvent } from "../../sources/apps/app-event.ts";
import { type MemoryBudget, memoryLimitMessage, smallPiece } from "../../sources/apps/memory-budget.ts";

/** Bytes of the largest registration or MCP request. */
export const maxBodyBytes = 4 * 1024 * 1024;
/** Requests that the proxy serves at the same time. */
export const maxConcurrent = 4096;
/** Connections that the proxy keeps, bridges included; fewer if the process may not open that many files. */
export const maxConnections = 32_768;

/** Counts the body of a request until the response is closed. Faults if there is no room for it. */
export type ReserveBody = (request: IncomingMessage, response: ServerResponse, sessionId: string) => void;

/**
 * Counts the bodies of requests in the budget, those of one session up to half of it. A body of unknown length counts as
 * the largest that is allowed.
 */
export function createBodyReserver(budget: MemoryBudget, count: CountEvent): ReserveBody {
  const shares = createShares({ max: Infinity, maxOfOne: Math.max(maxBodyBytes, budget.limit / 2) });
  return ({ headers }, response, sessionId) => {
    const declared = headers["transfer-encoding"] === undefined ? Number(headers["content-length"] ?? 0) : maxBodyBytes;
    const bytes = Math.min(declared, maxBodyBytes);
    if (!(bytes > smallPiece)) return;
    if (shares.take(sessionId, bytes) !== undefined) throw refused();
    if (!budget.take(bytes)) {
      shares.give(sessionId, bytes);
      throw refused();
    }
    response.once("close", () => {
      budget.give(bytes);
      shares.give(sessionId, bytes);
    });
  };

  function refused(): Fault {
    count("refused for memory");
    return new Fault("busy", memoryLimitMessage);
  }
}

/** The fault for a request on a connection that its session may not have. */
export function tooManyConnections(response: ServerResponse): Fault {
  response.setHeader("connection", "close");
  return new Fault("busy", "This session has too many connections open. Close some, then try again.");
}
