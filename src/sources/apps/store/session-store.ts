/** What is stored of a session: plain data, so that any store can hold it. Of secrets it has only the hashes. */
export interface SessionRecord {
  readonly id: string;
  readonly deviceId: string;
  readonly deviceName: string;
  readonly appVersion: string;
  readonly chatId: string;
  /** The tools as they were registered; parsed again when the session is loaded. */
  readonly tools: readonly unknown[];
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly ttlMs: number;
  readonly bridgeTokenHash: string;
  readonly mcpTokenHash: string;
  /** Which sides of the session only its own tokens open. */
  readonly ownTokens: "none" | "bridge" | "all";
}

export interface StoredSession {
  readonly record: SessionRecord;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** What happened to sessions in the store. */
export type SessionChange =
  /** Another instance did it. */
  | { readonly kind: "changed" | "removed"; readonly id: string }
  /** Others may have changed any of them without our hearing of it. */
  | { readonly kind: "missed" }
  /** The store was lost, and is there again without them. */
  | { readonly kind: "emptied" };

/** Where sessions are stored. The store keeps the expiry; the reader checks it. */
export interface SessionStore extends AsyncDisposable {
  /** Whether other processes use the same sessions. */
  readonly isShared: boolean;
  /** Adds or replaces a session. Once it resolves, the session is as safe as this store makes it. */
  put(record: SessionRecord, expiresAt: number): Promise<void>;
  get(id: string): Promise<StoredSession | undefined>;
  /** Changes the expiry. Cheap; the last few changes may be lost in a crash. */
  touch(id: string, expiresAt: number): void;
  /** Returns false if there was none. */
  remove(id: string): Promise<boolean>;
  all(): Promise<readonly StoredSession[]>;
  /** Reports every change from now on, our own among them. Resolves to a function that ends it. */
  watch(listener: (change: SessionChange) => void): Promise<() => void>;
}

/** Keeps sessions for as long as the process runs. */
export function createMemorySessionStore(): SessionStore {
  const sessions = new Map<string, StoredSession>();
  return {
    isShared: false,
    async put(record, expiresAt) {
      sessions.set(record.id, { record, expiresAt });
    },
    get: async (id) => sessions.get(id),
    touch(id, expiresAt) {
      const stored = sessions.get(id);
      if (stored) sessions.set(id, { ...stored, expiresAt });
    },
    remove: async (id) => sessions.delete(id),
    all: async () => [...sessions.values()],
    watch: async () => () => {},
    [Symbol.asyncDispose]: async () => sessions.clear(),
  };
}
