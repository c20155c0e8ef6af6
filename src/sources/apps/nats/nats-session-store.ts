import { parseJson } from "../../../core/json.ts";
import { Fault } from "../../../core/fault.ts";
import type { Log } from "../../../core/log.ts";
import type { SessionChange, SessionRecord, SessionStore, StoredSession } from "../store/session-store.ts";
import { subjectsOf } from "./bus-messages.ts";
import type { NatsLinks } from "./nats-connection.ts";
import { openBucket } from "./open-bucket.ts";

/** NATS carries messages of up to 1 MB. */
const largestRecord = 1_000_000;

/**
 * Sessions in JetStream's key-value store, shared by all instances. The record and its expiry are two keys: the expiry is
 * rewritten often and small. Expiry is checked on reading, since servers before 2.11 silently ignore the time to live of
 * single keys.
 */
export async function openNatsSessionStore(links: NatsLinks, log: Log): Promise<SessionStore> {
  const records = await openBucket(links, "sessions");
  const lives = await openBucket(links, "lives");
  const touching = new Map<string, Promise<unknown>>();
  const { changes } = subjectsOf(links.prefix);
  const announce = (change: SessionChange): void => links.calls.publish(changes, JSON.stringify(change));

  return {
    isShared: true,
    async put(record, expiresAt) {
      const value = JSON.stringify({ record, expiresAt });
      if (Buffer.byteLength(value) > largestRecord)
        throw new Fault(
          "too-large",
          "The tool definitions of this session are too large to be shared between instances.",
        );
      await records.put(record.id, value);
      await lives.put(record.id, String(expiresAt));
      announce({ kind: "changed", id: record.id });
    },
    get,
    touch(id, expiresAt) {
      const change = touchIfThere(id, expiresAt)
        .catch((error: unknown) => log.warn("the expiry of a session could not be stored", { error }))
        .finally(() => {
          if (touching.get(id) === change) touching.delete(id);
        });
      touching.set(id, change);
    },
    async remove(id) {
      const existed = (await records.get(id))?.value !== undefined;
      if (existed) await records.remove(id);
      await lives.remove(id);
      if (existed) announce({ kind: "removed", id });
      return existed;
    },
    async all() {
      const found: StoredSession[] = [];
      for (const id of await records.keys()) {
        const stored = await get(id);
        if (stored !== undefined) found.push(stored);
      }
      return found;
    },
    async watch(listener) {
      const heard = links.calls.listen(changes, (message) => {
        const change = message.json<SessionChange>();
        if (change.kind === "changed" || change.kind === "removed") listener(change);
      });
      links.onReconnect(() => listener({ kind: "missed" }));
      links.onRestored(() => listener({ kind: "emptied" }));
      // Versions without seals tell no one.
      const stopPolling = links.acceptUnsealed ? pollFor(() => listener({ kind: "missed" })) : () => {};
      await links.main.flush();
      return () => {
        stopPolling();
        heard.unsubscribe();
      };
    },
    async [Symbol.asyncDispose]() {
      await Promise.allSettled(touching.values());
    },
  };

  async function get(id: string): Promise<StoredSession | undefined> {
    await touching.get(id);
    const [record, life] = await Promise.all([records.get(id), lives.get(id)]);
    return record?.value === undefined ? undefined : readStored(id, record.value, life?.value);
  }

  async function touchIfThere(id: string, expiresAt: number): Promise<void> {
    await touching.get(id);
    const life = await lives.get(id);
    if (life?.value === undefined || Number(life.value) >= expiresAt) return;
    // If another instance has touched it meanwhile, that is as good.
    await lives.replace(id, String(expiresAt), life.revision);
  }

  function readStored(id: string, text: string, life: string | undefined): StoredSession | undefined {
    try {
      const { record, expiresAt } = parseJson(text) as StoredSession & { record: SessionRecord };
      if (record?.id !== id || !Number.isFinite(expiresAt)) throw new Error("it is not a session");
      return { record, expiresAt: Math.max(expiresAt, Number(life) || 0) };
    } catch (error) {
      log.warn("a stored session can't be read", { error });
      return undefined;
    }
  }
}

const pollMs = 10_000;

function pollFor(look: () => void): () => void {
  const timer = setInterval(look, pollMs).unref();
  return () => clearInterval(timer);
}
