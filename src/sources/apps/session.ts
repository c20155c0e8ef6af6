import type { Unsubscribe } from "../../catalog/tool-source.ts";
import type { AppSource } from "./app-source.ts";
import type { Bridge } from "./bridge.ts";
import type { SessionRecord } from "./session-store.ts";

/** A session that is alive in this process. */
export interface AppSession {
  readonly id: string;
  readonly record: SessionRecord;
  readonly source: AppSource;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
  readonly bridge: Bridge | undefined;
  /** Its time has run out; those who keep it will notice. */
  isOver(): boolean;
  /** It is in use: its life begins anew. */
  touch(): void;
  /** Called once, when the session is over for whatever reason. */
  onEnd(listener: () => void): Unsubscribe;
}
