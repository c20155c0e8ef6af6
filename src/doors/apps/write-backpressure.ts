import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { CountEvent } from "../../sources/apps/app-event.ts";
import { type MemoryBudget, smallPiece } from "../../sources/apps/memory-budget.ts";

/** What waits for clients who read slowly, counted in the budget. */
export interface WriteBackpressure {
  /** Looks after what is written to this connection. */
  watch(socket: Socket): void;
  /** From here on it is somebody else's. */
  release(socket: Socket): void;
  /** The answer is ended: what of it is still unread shows at once, not only when it is measured next. */
  onPrefinish(this: ServerResponse): void;
  /** From time to time: an answer that is sent in pieces grows without being ended. */
  measure(): void;
}

/**
 * Where there is no room for something else, whoever has kept an answer waiting longest is cut off: a client that never
 * reads must not be what others are refused for.
 */
export function createWriteBackpressure(budget: MemoryBudget, count: CountEvent): WriteBackpressure {
  const open = new Set<Socket>();
  /** In the order in which they began to wait. */
  const waiting = new Map<Socket, number>();
  budget.onPressure(() => {
    const [oldest] = waiting.keys();
    if (oldest) cutOff(oldest);
    return oldest !== undefined;
  });

  return {
    watch(socket) {
      open.add(socket);
      socket.once("close", () => release(socket));
    },
    release,
    onPrefinish() {
      if (this.socket) note(this.socket);
    },
    measure() {
      for (const socket of open) note(socket);
    },
  };

  function note(socket: Socket): void {
    const bytes = socket.writableLength;
    if (bytes <= smallPiece) return waiting.size > 0 ? forget(socket) : undefined;
    if (!open.has(socket)) return;
    const before = waiting.get(socket) ?? 0;
    if (!budget.take(bytes - before)) return cutOff(socket);
    // It may have been the oldest itself.
    if (waiting.has(socket) || before === 0) waiting.set(socket, bytes);
    else budget.give(bytes - before);
  }

  function release(socket: Socket): void {
    open.delete(socket);
    forget(socket);
  }

  function cutOff(socket: Socket): void {
    count("slow reader");
    forget(socket);
    socket.destroy();
  }

  function forget(socket: Socket): void {
    budget.give(waiting.get(socket) ?? 0);
    waiting.delete(socket);
  }
}
