import { readFile } from "node:fs/promises";
import type { Server } from "node:http";
import type { Socket } from "node:net";
import { createShares, fairRules } from "./shares.ts";

/** Limits the connections of a server, in all and for each holder. */
export interface ConnectionShares {
  /**
   * Says whose connection this is, once its caller is known. Returns false if the holder has too many: then the request
   * is refused and its connection closed.
   */
  claim(socket: Socket, holder: string): boolean;
}

/**
 * A sixteenth of the connections is for those whose caller is not known yet. When there are too many of them, the oldest
 * is closed, so that connections that never complete a request can't keep a caller out.
 */
export function shareConnections(server: Server, max: number, reservedFor?: string): ConnectionShares {
  const shares = createShares(fairRules(max - Math.ceil(max / 16), reservedFor));
  const holders = new Map<Socket, string>();
  /** Oldest first. */
  const unclaimed = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    unclaimed.add(socket);
    socket.once("close", () => forget(socket));
    if (unclaimed.size + holders.size <= max) return;
    const [oldest] = unclaimed;
    unclaimed.delete(oldest!);
    oldest!.destroy();
  });

  return {
    claim(socket, holder) {
      const known = holders.get(socket);
      if (known === holder) return true;
      if (socket.destroyed || shares.take(holder) !== undefined) return false;
      if (known !== undefined) shares.give(known);
      unclaimed.delete(socket);
      holders.set(socket, holder);
      return true;
    },
  };

  function forget(socket: Socket): void {
    unclaimed.delete(socket);
    const holder = holders.get(socket);
    if (holder !== undefined) shares.give(holder);
    holders.delete(socket);
  }
}

/** As many connections as wanted, but at most three quarters of the files that this process may open. */
export async function connectionLimit(wanted: number): Promise<number> {
  const limits = await readFile("/proc/self/limits", "utf8").catch(() => "");
  const openFiles = Number(/^Max open files +(\d+)/m.exec(limits)?.[1] ?? Infinity);
  return Math.max(16, Math.min(wanted, Math.floor(openFiles * 0.75)));
}
