import { atTurnEnd } from "../../core/turn-end.ts";
import type { BridgeSocket } from "./bridge-socket.ts";
import type { MemoryBudget } from "./memory-budget.ts";

/** Where a message to an app goes. */
export interface WriteTarget {
  readonly socket: BridgeSocket;
  readonly budget: MemoryBudget;
  readonly isOpen: boolean;
  /** There is no room for what has to wait. */
  onOverload(): void;
}

const closedBefore = new Error("The bridge was closed before this could be written.");

/**
 * Writes to an app at the end of the turn. `written` hears whether it left, and may hear so twice: what has left at once
 * may be with the app before the socket says so. What has to wait is counted.
 */
export function writeAtTurnEnd(target: WriteTarget, text: string, written: (error?: Error | null) => void): void {
  atTurnEnd(() => {
    if (!target.isOpen) return written(closedBefore);
    const { socket, budget } = target;
    let waiting = 0;
    socket.send(text, (error) => {
      budget.give(waiting);
      written(error);
    });
    if (socket.bufferedAmount === 0) return written();
    if (budget.take(text.length)) waiting = text.length;
    else target.onOverload();
  });
}
