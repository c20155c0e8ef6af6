import { Fault } from "../../../core/fault.ts";
import { isOpen } from "./connection-state.ts";
import type { Connection } from "./connection.ts";

/** Limits how many connections may be open at once, and decides which one makes room for another. */
export interface Slots {
  hasRoom(): boolean;
  /** Waits for a slot. To free one it parks the idle connection that was unused for longest. */
  take(connection: Connection): Promise<void>;
  leave(connection: Connection): void;
  /** A connection has become idle: those that wait may try again. */
  wake(): void;
}

export function createSlots(maxConnections: number): Slots {
  const held = new Set<Connection>();
  const waiting = new Set<() => void>();

  return {
    hasRoom: () => held.size < maxConnections,
    async take(connection) {
      const timeout = AbortSignal.timeout(connection.definition.connectTimeoutMs);
      while (held.size >= maxConnections && !held.has(connection)) {
        const idle = leastRecentlyUsed();
        // Parking changes its state at once, which frees the slot; its process may take longer to end.
        if (idle) void idle.park();
        else await nextChange(timeout);
      }
      held.add(connection);
    },
    leave(connection) {
      if (held.delete(connection)) wake();
    },
    wake,
  };

  function leastRecentlyUsed(): Connection | undefined {
    return [...held]
      .filter((each) => isOpen(each.state()) && each.inFlight() === 0)
      .sort((a, b) => a.usedAt() - b.usedAt())[0];
  }

  function nextChange(timeout: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const go = () => {
        waiting.delete(go);
        timeout.removeEventListener("abort", giveUp);
        resolve();
      };
      const giveUp = () => {
        waiting.delete(go);
        reject(
          new Fault(
            "busy",
            `All ${maxConnections} connections to servers are in use. Try again later, or raise \`maxConcurrentServers\`.`,
          ),
        );
      };
      waiting.add(go);
      timeout.addEventListener("abort", giveUp, { once: true });
    });
  }

  function wake(): void {
    for (const go of waiting) go();
  }
}
