import { mkdir, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { pluginsSettled } from "./plugin-lease.ts";

/** As OpenClaw 2026.9.6 keeps it. */
async function openState() {
  const stateDir = await mkdtemp(join(tmpdir(), "openclaw-state-"));
  await mkdir(join(stateDir, "state"));
  const database = new DatabaseSync(join(stateDir, "state", "openclaw.sqlite"));
  database.exec(`PRAGMA journal_mode = WAL;
    CREATE TABLE state_leases (scope TEXT NOT NULL, lease_key TEXT NOT NULL, owner TEXT NOT NULL, expires_at INTEGER,
      heartbeat_at INTEGER, payload_json TEXT, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL,
      PRIMARY KEY (scope, lease_key)) STRICT`);
  return {
    stateDir,
    hold(scope: string, expiresAt: number): void {
      const insert = "INSERT INTO state_leases VALUES (?, 'global', 'gateway', ?, NULL, NULL, 1, 1)";
      database.prepare(insert).run(scope, expiresAt);
    },
    release: () => database.exec("DELETE FROM state_leases"),
    [Symbol.dispose]: () => database.close(),
  };
}

test("waits until OpenClaw is done with plugins", async () => {
  using state = await openState();
  state.hold("core:plugin-lifecycle", Date.now() + 300_000);
  const order: string[] = [];
  setTimeout(() => {
    order.push("released");
    state.release();
  }, 300);
  await pluginsSettled(state.stateDir);
  order.push("settled");
  expect(order).toEqual(["released", "settled"]);
});

test("other leases, and one whose owner died, do not count", async () => {
  using state = await openState();
  state.hold("core:plugin-lifecycle", Date.now() - 1);
  state.hold("core:claw-mcp-lifecycle", Date.now() + 300_000);
  await expect(pluginsSettled(state.stateDir)).resolves.toBeUndefined();
});

test("goes on after a while if there is no such state", async () => {
  await expect(pluginsSettled(join(tmpdir(), "no-openclaw-here"), 1)).resolves.toBeUndefined();
});
