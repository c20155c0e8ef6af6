import type { ServerResponse } from "node:http";
import type { CountEvent } from "../../sources/apps/app-event.ts";
import { type MemoryBudget, smallPiece } from "../../sources/apps/memory-budget.ts";

/** Answers that wait for clients who read slowly, counted in the budget. */
export interface Unread {
  /** Looks after this response until it is closed. */
  watch(response: ServerResponse): void;
  /** From time to time: an answer that is being sent in pieces grows without ever being ended. */
  measure(): void;
}

/**
 * Where there is no room for something else, whoever has kept an answer waiting longest is cut off: a client that never
 * reads must not be what others are refused for.
 */
export function createUnread(budget: MemoryBudget, count: CountEvent): Unread {
  const open = new Set<ServerResponse>();
  /** In the order in which they began to wait. */
  const waiting = new Map<ServerResponse, number>();
  budget.onPressure(() => {
    const [oldest] = waiting.keys();
    if (oldest) cutOff(oldest);
    return oldest !== undefined;
  });

  return {
    watch(response) {
      open.add(response);
      response.once("prefinish", () => note(response));
      response.once("close", () => {
        open.delete(response);
        forget(response);
      });
    },
    measure() {
      for (const response of open) note(response);
    },
  };

  function note(response: ServerResponse): void {
    const bytes = response.socket?.writableLength ?? 0;
    if (bytes <= smallPiece) return forget(response);
    const before = waiting.get(response) ?? 0;
    if (!budget.take(bytes - before)) return cutOff(response);
    // It may have been the oldest itself.
    if (waiting.has(response) || before === 0) waiting.set(response, bytes);
    else budget.give(bytes - before);
  }

  function cutOff(response: ServerResponse): void {
    count("slow reader");
    forget(response);
    response.destroy();
  }

  function forget(response: ServerResponse): void {
    budget.give(waiting.get(response) ?? 0);
    waiting.delete(response);
  }
}
