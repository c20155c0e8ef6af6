import { expect, test } from "vitest";
import type { SessionRecord, SessionStore } from "./session-store.ts";

export function sessionRecord(id: string, parts: Partial<SessionRecord> = {}): SessionRecord {
  return {
    id,
    deviceId: "device-1",
    deviceName: "desktop",
    appVersion: "1.0.0",
    chatId: "chat-1",
    tools: [{ name: "echo_text", input_schema: { type: "object" } }],
    createdAt: 1000,
    ttlMs: 300_000,
    bridgeTokenHash: "b",
    mcpTokenHash: "m",
    ownTokens: "none",
    ...parts,
  };
}

/** What every store must do. */
export function testSessionStore(open: () => Promise<SessionStore>): void {
  test("returns what was put, and the last version if it was put twice", async () => {
    await using store = await open();
    await store.put(sessionRecord("a"), 5000);
    await store.put(sessionRecord("b"), 6000);
    await store.put(sessionRecord("a", { tools: [] }), 7000);
    expect(await store.get("a")).toMatchObject({ record: sessionRecord("a", { tools: [] }), expiresAt: 7000 });
    expect((await store.all()).map(({ record }) => record.id).sort()).toEqual(["a", "b"]);
  });

  test("has nothing that was never put", async () => {
    await using store = await open();
    store.touch("a", 9000);
    expect([await store.get("a"), await store.remove("a"), await store.all()]).toEqual([undefined, false, []]);
  });

  test("changes the expiry and nothing else", async () => {
    await using store = await open();
    await store.put(sessionRecord("a"), 5000);
    store.touch("a", 9000);
    expect(await store.get("a")).toMatchObject({ record: sessionRecord("a"), expiresAt: 9000 });
  });

  test("forgets what is removed, once", async () => {
    await using store = await open();
    await store.put(sessionRecord("a"), 5000);
    expect([await store.remove("a"), await store.remove("a")]).toEqual([true, false]);
    expect([await store.get("a"), await store.all()]).toEqual([undefined, []]);
  });

  test("handles many changes at once", async () => {
    await using store = await open();
    const ids = Array.from({ length: 300 }, (_, at) => `s${at}`);
    await Promise.all(ids.map((id) => store.put(sessionRecord(id), 5000)));
    await Promise.all(ids.slice(100).map((id) => store.remove(id)));
    expect((await store.all()).map(({ record }) => record.id).sort()).toEqual(ids.slice(0, 100).sort());
  });
}
