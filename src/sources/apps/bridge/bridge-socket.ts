import { atTurnEnd } from "../../../core/http/turn-end.ts";
import type { MemoryBudget } from "../memory-budget.ts";

/** What a bridge needs of the WebSocket of an app. */
export interface BridgeSocket {
  isOpen(): boolean;
  /** Bytes that wait to be written. */
  readonly bufferedAmount: number;
  /** `written` is always called: without an error once the system has every byte, with one if that will not happen. */
  send(text: string, written: (error?: Error | null) => void): void;
  ping(): void;
  close(code: number, reason: string): void;
  terminate(): void;
}

/** Close code and reason that the app gets for each reason to close its bridge. */
export const closeCodes = {
  malformed: [4400, "message not understood"],
  invalidToken: [4401, "invalid app token"],
  unknownSession: [4404, "unknown session_id"],
  expired: [4408, "session expired"],
  replaced: [4409, "replaced by a newer bridge"],
  deleted: [4410, "session deleted"],
  flooding: [4429, "too many messages"],
  failed: [1011, "proxy could not open the bridge"],
  unavailable: [1013, "sessions can't be reached: reconnect later"],
  overloaded: [1013, "proxy is at its memory limit"],
  draining: [1012, "proxy is restarting"],
} as const satisfies Record<string, readonly [code: number, reason: string]>;

export type CloseReason = keyof typeof closeCodes;

/** Where a message to an app goes. */
export interface WriteTarget {
  readonly socket: BridgeSocket;
  readonly budget: MemoryBudget;
  readonly isOpen: boolean;
  /** Called if the budget has no room for a message that has to wait. */
  onOverload(): void;
}

/** Sends a message to an app at the end of the turn; drops it if the bridge is closed. */
export function sendMessage(target: WriteTarget, message: Readonly<Record<string, unknown>>): void {
  if (target.isOpen) writeAtTurnEnd(target, JSON.stringify(message), () => {});
}

/**
 * Writes to an app at the end of the turn. `written` is called when it is known whether the text left, and may be called
 * twice: text that left at once may be with the app before the socket reports it. What has to wait is counted.
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

const closedBefore = new Error("The bridge was closed before this could be written.");
