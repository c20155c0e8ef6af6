import type { Server } from "node:http";
import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { RequestSlots } from "./request-slots.ts";

/** The connections of a server. */
export interface Connections {
  readonly size: number;
  /** Resolves when everything is written on all of them, or after the time. */
  flushed(withinMs: number): Promise<void>;
}

export function trackConnections(server: Server): Connections {
  const open = new Set<Socket>();
  server.on("connection", (socket) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
  });
  return {
    get size() {
      return open.size;
    },
    async flushed(withinMs) {
      const deadline = Date.now() + withinMs;
      const waits = (socket: Socket): boolean => socket.writableLength > 0;
      while ([...open].some(waits) && Date.now() < deadline) await sleep(20);
    },
  };
}

/** Those of several servers that close together. */
export function joinConnections(all: readonly Connections[]): Connections {
  return {
    get size() {
      return all.reduce((sum, { size }) => sum + size, 0);
    },
    flushed: async (withinMs) => void (await Promise.all(all.map((each) => each.flushed(withinMs)))),
  };
}

export interface CloseOptions {
  readonly server: Server;
  readonly slots: RequestSlots;
  readonly connections: Connections;
  readonly withinMs: number;
  /** Cancels the calls that still run. */
  stop(): void;
  /** Ends sessions and streams. */
  end(): void;
}

/**
 * Accepts nothing new, gives running requests the time to finish, and cuts off no answer that a client is reading. Node's
 * own `close` comes last, since it considers a connection idle when its answer is made, not when it has been sent.
 */
export async function closeGracefully({
  server,
  slots: admission,
  connections,
  withinMs,
  stop,
  end,
}: CloseOptions): Promise<void> {
  const deadline = Date.now() + withinMs;
  admission.close();
  await admission.drained(withinMs);
  stop();
  // Calls that were just cancelled still send their answers.
  await admission.drained(200);
  await connections.flushed(Math.max(200, deadline - Date.now()));
  end();
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeAllConnections();
  await closed;
}
