import type { SessionStore, StoredSession } from "./session-store.ts";

/** Remembers for as long as the process lives. */
export function createMemoryStore(): SessionStore {
  const sessions = new Map<string, StoredSession>();
  return {
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
    [Symbol.asyncDispose]: async () => sessions.clear(),
  };
}
