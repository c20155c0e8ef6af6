import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { CountEvent } from "../../sources/apps/app-event.ts";
import { type MemoryBudget, smallPiece } from "../../sources/apps/memory-budget.ts";

/** Counts in the budget what waits to be written to slow clients. */
export interface WriteBackpressure {
  /** Starts to count what is written to this connection. */
  watch(socket: Socket): void;
  /** Stops counting this connection, which has become a bridge. */
  release(socket: Socket): void;
  /** A listener for `prefinish`: counts what is left of a complete response at once, not only at the next `measure`. */
  onPrefinish(this: ServerResponse): void;
  /** To be called from time to time: a stream grows without being complete. */
  measure(): void;
}

/**
 * When the budget has no room, disconnects the client that has kept its response waiting longest: others must not be
 * refused because of a client that never reads.
 */
export function createWriteBackpressure(budget: MemoryBudget, count: CountEvent): WriteBackpressure {
  const open = new Set<Socket>();
  /** Bytes that wait for each connection, in the order in which they began to wait. */
  const waiting = new Map<Socket, number>();
  budget.onPressure(() => {
    const [oldest] = waiting.keys();
    if (oldest) disconnect(oldest);
    return oldest !== undefined;
  });

  return {
    watch(socket) {
      open.add(socket);
      socket.once("close", () => release(socket));
    },
    release,
    onPrefinish() {
      if (this.socket) update(this.socket);
    },
    measure() {
      for (const socket of open) update(socket);
    },
  };

  function update(socket: Socket): void {
    const bytes = socket.writableLength;
    if (bytes <= smallPiece) return waiting.size > 0 ? forget(socket) : undefined;
    if (!open.has(socket)) return;
    const before = waiting.get(socket) ?? 0;
    if (!budget.take(bytes - before)) return disconnect(socket);
    // To make room, `take` may have disconnected this very connection.
    if (waiting.has(socket) || before === 0) waiting.set(socket, bytes);
    else budget.give(bytes - before);
  }

  function release(socket: Socket): void {
    open.delete(socket);
    forget(socket);
  }

  function disconnect(socket: Socket): void {
    count("slow reader");
    forget(socket);
    socket.destroy();
  }

  function forget(socket: Socket): void {
    budget.give(waiting.get(socket) ?? 0);
    waiting.delete(socket);
  }
}
