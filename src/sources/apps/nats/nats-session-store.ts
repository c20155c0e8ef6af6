import { Fault } from "../../../core/fault.ts";
import type { Log } from "../../../core/log.ts";
import type { SessionRecord, SessionStore, StoredSession } from "../store/session-store.ts";
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
      const existed = (await records.get(id))?.operation === "PUT";
      if (existed) await records.delete(id);
      await lives.purge(id);
      return existed;
    },
    async all() {
      const found: StoredSession[] = [];
      for await (const id of await records.keys()) {
        const stored = await get(id);
        if (stored !== undefined) found.push(stored);
      }
      return found;
    },
    async watch(listener) {
      const changes = await records.watch({ include: "updates" });
      void (async () => {
        for await (const { key, operation } of changes)
          listener(operation === "PUT" ? { kind: "changed", id: key } : { kind: "removed", id: key });
      })().catch((error: unknown) => log.error("changes of sessions are no longer seen", { error }));
      return () => changes.stop();
    },
    async [Symbol.asyncDispose]() {
      await Promise.allSettled(touching.values());
    },
  };

  async function get(id: string): Promise<StoredSession | undefined> {
    await touching.get(id);
    const [record, life] = await Promise.all([records.get(id), lives.get(id)]);
    return record?.operation === "PUT" ? readStored(record.string(), life?.string()) : undefined;
  }

  async function touchIfThere(id: string, expiresAt: number): Promise<void> {
    await touching.get(id);
    const life = await lives.get(id);
    if (life?.operation !== "PUT" || Number(life.string()) >= expiresAt) return;
    // Another instance may have touched it meanwhile, which is as good.
    await lives.update(id, String(expiresAt), life.revision).catch(() => {});
  }

  function readStored(text: string, life: string | undefined): StoredSession | undefined {
    try {
      const { record, expiresAt } = JSON.parse(text) as StoredSession & { record: SessionRecord };
      if (typeof record?.id !== "string" || !Number.isFinite(expiresAt)) throw new Error("it is not a session");
      return { record, expiresAt: Math.max(expiresAt, Number(life) || 0) };
    } catch (error) {
      log.warn("a stored session can't be read", { error });
      return undefined;
    }
  }
}
