import { Fault } from "../../../core/fault.ts";
import { isOpen } from "./connection-state.ts";
import type { Connection } from "./connection.ts";

/** How many connections may be up at once, and which one gives way to another. */
export interface Slots {
  hasRoom(): boolean;
  /** Waits for a place, and parks the idle connection that was unused for longest to get one. */
  take(connection: Connection): Promise<void>;
  leave(connection: Connection): void;
  /** A connection has become idle: whoever waits may look again. */
  stir(): void;
}

export function createSlots(most: number): Slots {
  const held = new Set<Connection>();
  const waiting = new Set<() => void>();

  return {
    hasRoom: () => held.size < most,
    async take(connection) {
      const end = AbortSignal.timeout(connection.definition.connectTimeoutMs);
      while (held.size >= most && !held.has(connection)) {
        const idle = leastRecent();
        // Its state changes at once, which makes it leave; how long its process takes to end is no matter.
        if (idle) void idle.park();
        else await change(end);
      }
      held.add(connection);
    },
    leave(connection) {
      if (held.delete(connection)) stir();
    },
    stir,
  };

  function leastRecent(): Connection | undefined {
    return [...held]
      .filter((each) => isOpen(each.state()) && each.inFlight() === 0)
      .sort((a, b) => a.usedAt() - b.usedAt())[0];
  }

  function change(end: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const go = () => {
        waiting.delete(go);
        end.removeEventListener("abort", giveUp);
        resolve();
      };
      const giveUp = () => {
        waiting.delete(go);
        reject(
          new Fault(
            "busy",
            `All ${most} servers that may be connected at once are in use. Try again, or raise maxConcurrentServers.`,
          ),
        );
      };
      waiting.add(go);
      end.addEventListener("abort", giveUp, { once: true });
    });
  }

  function stir(): void {
    for (const go of waiting) go();
  }
}
