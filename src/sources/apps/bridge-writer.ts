import { atTurnEnd } from "../../core/turn-end.ts";
import type { BridgeSocket } from "./bridge-socket.ts";
import type { MemoryBudget } from "./memory-budget.ts";

export interface BridgeWriterOptions {
  readonly socket: BridgeSocket;
  readonly budget: MemoryBudget;
  isOpen(): boolean;
  /** There is no room for what has to wait. */
  onOverload(): void;
}

/** `written` hears whether it left, and may hear so twice. */
export type WriteToApp = (text: string, written: (error?: Error | null) => void) => void;

const closedBefore = new Error("The bridge was closed before this could be written.");

/**
 * Writes to an app at the end of each turn. What has left at once is `written` before the socket says so too: it may be
 * with the app by then. What has to wait is counted.
 */
export function createBridgeWriter({ socket, budget, isOpen, onOverload }: BridgeWriterOptions): WriteToApp {
  return (text, written) =>
    atTurnEnd(() => {
      if (!isOpen()) return written(closedBefore);
      let waiting = 0;
      socket.send(text, (error) => {
        budget.give(waiting);
        written(error);
      });
      if (socket.bufferedAmount === 0) return written();
      if (budget.take(text.length)) waiting = text.length;
      else onOverload();
    });
}
