import { join } from "node:path";
import { withFileLock } from "../../core/file-lock.ts";
import type { Log } from "../../core/log.ts";
import { hashSessionKey } from "./session-key.ts";

export interface TurnOptions {
  readonly signal: AbortSignal;
  readonly log: Log;
  readonly waitMs: number;
}

/** Lets the orders of one conversation run one after the other, and those of different ones side by side. */
export interface SessionTurns {
  take<T>(sessionKey: string, options: TurnOptions, work: () => Promise<T>): Promise<T>;
}

/** Across processes too: several clients, each with a server of its own, may share a key. */
export function createSessionTurns(folder: string): SessionTurns {
  return {
    take: (sessionKey, options, work) =>
      withFileLock(join(folder, hashSessionKey(sessionKey)), { ...options, removeAfter: true }, work),
  };
}
