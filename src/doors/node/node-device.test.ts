import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { silentLog } from "../../core/log.ts";
import { openNodeDevice } from "./node-device.ts";

let folder = "";
let path = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "node-device-"));
  path = join(folder, "device.json");
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test("the identity is kept, and only its owner can read it", async () => {
  const first = await openNodeDevice(path, silentLog);
  const again = await openNodeDevice(path, silentLog);
  expect(again.identity).toEqual(first.identity);
  expect(first.identity.deviceId).toMatch(/^[0-9a-f]{64}$/);
  expect(process.platform === "win32" ? 0 : (await stat(path)).mode & 0o077).toBe(0);
});

test("two processes that start at the same moment get one identity", async () => {
  const devices = await Promise.all([1, 2, 3, 4].map(() => openNodeDevice(path, silentLog)));
  expect(new Set(devices.map(({ identity }) => identity.deviceId)).size).toBe(1);
});

test("a token is kept for its gateway and no other, until it is cleared", async () => {
  const device = await openNodeDevice(path, silentLog);
  device.tokensFor("a:1").store("token-a");
  device.tokensFor("b:1").store("token-b");
  device.tokensFor("b:1").store("x".repeat(5000));
  await device.saved();
  const again = await openNodeDevice(path, silentLog);
  expect(["a:1", "b:1", "c:1"].map((gateway) => again.tokensFor(gateway).load())).toEqual([
    "token-a",
    "token-b",
    undefined,
  ]);
  again.tokensFor("a:1").clear();
  await again.saved();
  expect(await readFile(path, "utf8")).not.toContain("token-a");
});

test.for([
  "{",
  '{"version":1,"tokens":{},"privateKey":"no key"}',
  '{"version":1,"tokens":[]}',
  '{"version":2,"tokens":{}}',
])("a damaged file is set aside: %s", async (text) => {
  await writeFile(path, text);
  const { identity } = await openNodeDevice(path, silentLog);
  expect(identity.deviceId).toMatch(/^[0-9a-f]{64}$/);
  expect(await readdir(folder)).toContainEqual(expect.stringContaining("damaged"));
});
