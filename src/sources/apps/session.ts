import type { Unsubscribe } from "../../catalog/tool-source.ts";
import type { AppSource } from "./app-source.ts";
import type { Bridge } from "./bridge.ts";
import type { CallMemory } from "./call-memory.ts";
import type { SessionRecord } from "./session-store.ts";
import type { ToolSet } from "./tool-set.ts";

/** A session that is alive in this process. */
export interface AppSession {
  readonly id: string;
  readonly record: SessionRecord;
  readonly source: AppSource;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
  readonly bridge: Bridge | undefined;
  /** It is in use: its life begins anew. */
  touch(): void;
  /** Called once, when the session is over for whatever reason. */
  onEnd(listener: () => void): Unsubscribe;
}

/** The same session as those see it who keep it. */
export interface KeptSession extends AppSession {
  record: SessionRecord;
  expiresAt: number;
  bridge: Bridge | undefined;
  memory: CallMemory | undefined;
  toolSet: ToolSet;
  /** When its expiry was last told to the store. */
  storedAt: number;
  /** The last change on its way to the store: the next one waits for it, so that what fails is taken back to what is kept. */
  changing: Promise<unknown>;
  readonly endListeners: Set<() => void>;
  nextRequestId(): string;
}
