import { appendFileSync, mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { prepareToSend } from "../../core/http/turn-end.ts";
import { openSessionLog, pruneSessionLogs, type SessionLogOptions } from "./session-log.ts";

const facts = { version: "2025-11-25", client: { name: "test", version: "1", capabilities: { roots: {} } } };

async function makePlace(given: Partial<SessionLogOptions> = {}) {
  const folder = await mkdtempDisposable(join(tmpdir(), "session-log-"));
  const file = join(folder.path, "sessions", "8765.jsonl");
  return {
    folder: folder.path,
    file,
    open: (more: Partial<SessionLogOptions> = {}) =>
      openSessionLog({ file, tokenKey: (name) => `key of ${name}`, ...given, ...more }),
    text: () => readFileSync(file, "utf8"),
    [Symbol.asyncDispose]: () => folder.remove(),
  };
}

test("a session is in the file before an answer leaves, and is found again without the log being closed", async () => {
  await using place = await makePlace();
  place.open().of("").remember("id-1", "main", facts);
  prepareToSend();
  expect(place.open().of("").recall("id-1", "main")).toMatchObject(facts);
});

test("subscriptions and the log level are kept with the session, as many as fit", async () => {
  await using place = await makePlace();
  const log = place.open().of("");
  log.remember("id-1", "main", facts);
  log.remember("id-1", "main", { ...facts, logLevel: "error", watched: ["note://a", "x".repeat(20_000)] });
  prepareToSend();
  const found = place.open().of("").recall("id-1", "main");
  expect(found).toMatchObject({ ...facts, logLevel: "error", watched: ["note://a"] });
});

test("the file is for its owner only, and shows neither the session id nor the token", async () => {
  await using place = await makePlace({ tokenKey: () => "hunter2" });
  const log = place.open();
  log.of("").remember("id-1", "main", facts);
  log.close();
  expect(statSync(place.file).mode & 0o777).toBe(0o600);
  expect(JSON.parse(place.text())).toEqual({
    key: expect.stringMatching(/^[\w-]{43}$/),
    token: "main",
    ...facts,
    at: expect.any(Number),
  });
  expect(place.text()).not.toMatch(/id-1|hunter2/);
});

test("a session is found only with its token, at its view, and by its id", async () => {
  await using place = await makePlace();
  place.open().of("notes").remember("id-1", "phone", facts);
  prepareToSend();
  const log = place.open();
  expect(log.of("notes").recall("id-1", "phone")).toBeDefined();
  expect(log.of("").recall("id-1", "phone")).toBeUndefined();
  expect(log.of("notes").recall("id-2", "phone")).toBeUndefined();
  expect(log.of("notes").recall("id-1", "main")).toBeUndefined();
  const renewed = place.open({ tokenKey: () => "another token of that name" });
  expect(renewed.of("notes").recall("id-1", "phone")).toBeUndefined();
  const removed = place.open({ tokenKey: () => undefined });
  expect(removed.of("notes").recall("id-1", "phone")).toBeUndefined();
});

test("a session that was ended, or whose token was revoked, stays ended", async () => {
  await using place = await makePlace();
  const log = place.open();
  for (const [id, token] of [
    ["a", "main"],
    ["b", "phone"],
    ["c", "phone"],
  ] as const)
    log.of("").remember(id, token, facts);
  log.of("").forget("a", "main");
  log.forgetAll("phone");
  log.close();
  const again = place.open().of("");
  expect([again.recall("a", "main"), again.recall("b", "phone"), again.recall("c", "phone")]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

test("a session expires after its last use", async () => {
  let time = 1_000_000;
  await using place = await makePlace({ now: () => time, keepMs: 100 });
  const log = place.open();
  log.of("").remember("used", "main", facts);
  log.of("").remember("idle", "main", facts);
  time += 80;
  log.of("").touch("used", "main");
  time += 80;
  for (const each of [log, (log.close(), place.open())]) {
    expect(each.of("").recall("used", "main")).toBeDefined();
    expect(each.of("").recall("idle", "main")).toBeUndefined();
  }
});

test("the number of sessions and the size of the file are bounded; a token loses its own sessions first", async () => {
  await using place = await makePlace({ atMost: 30, atMostOfOne: 20 });
  const log = place.open();
  log.of("").remember("mine", "main", facts);
  for (let index = 0; index < 5000; index++) {
    log.of("").remember(`id-${index}`, "greedy", facts);
    if (index % 100 === 0) prepareToSend();
  }
  log.close();
  const again = place.open();
  expect(again.of("").recall("mine", "main")).toBeDefined();
  expect(again.of("").recall("id-4999", "greedy")).toBeDefined();
  expect(again.of("").recall("id-4979", "greedy")).toBeUndefined();
  expect(statSync(place.file).size).toBeLessThan(300 * 1024);
});

test("half a line at the end and foreign lines do no harm to what is written before and after", async () => {
  await using place = await makePlace();
  const log = place.open();
  log.of("").remember("before", "main", facts);
  log.close();
  appendFileSync(
    place.file,
    'null\n[]\n{"key":1}\n{"end":{}}\n{"key":"x","token":"main","version":"9","client":{},"at":1}\n{"key":"ha',
  );
  const torn = place.open();
  torn.of("").remember("after", "main", facts);
  torn.close();
  const again = place.open().of("");
  expect([again.recall("before", "main"), again.recall("after", "main")]).toMatchObject([facts, facts]);
});

test("a client that says more about itself than is kept is remembered without it", async () => {
  await using place = await makePlace();
  const client = { name: "n", capabilities: { experimental: { junk: "x".repeat(5000) } } };
  const log = place.open();
  log.of("").remember("id", "main", { ...facts, client });
  expect(log.of("").recall("id", "main")?.client).toEqual({ name: "n", capabilities: {} });
  log.close();
  expect(place.text().length).toBeLessThan(500);
});

test("a file that can't be written is reported once, and sessions go on", async () => {
  const warnings: string[] = [];
  const warn = (message: string) => void warnings.push(message);
  const log = { debug: warn, info: warn, warn, error: warn, with: () => log };
  await using place = await makePlace({ log });
  const opened = place.open({ file: join("/dev/null", "sessions.jsonl") });
  for (const id of ["a", "b"]) {
    opened.of("").remember(id, "main", facts);
    prepareToSend();
  }
  expect(opened.of("").recall("b", "main")).toBeDefined();
  expect(warnings).toHaveLength(1);
});

test("files of ports that were not used for long are removed", async () => {
  await using place = await makePlace();
  for (const name of ["1.jsonl", "2.jsonl"]) writeFileSync(join(place.folder, name), "");
  const old = new Date(Date.now() - 8 * 24 * 3_600_000);
  utimesSync(join(place.folder, "1.jsonl"), old, old);
  pruneSessionLogs(place.folder);
  expect(readdirSync(place.folder)).toEqual(["2.jsonl"]);
});

test("a first start, without a folder yet, warns of nothing", async () => {
  await using place = await makePlace();
  const warnings: string[] = [];
  const { silentLog } = await import("../../core/log.ts");
  const log = { ...silentLog, warn: (text: string) => void warnings.push(text) };
  place.open({ log }).close();
  expect(warnings).toEqual([]);
});

test("what is no file of a port does not keep the hub from starting", async () => {
  await using place = await makePlace();
  const odd = join(place.folder, "odd");
  const old = new Date(Date.now() - 8 * 24 * 3_600_000);
  mkdirSync(odd);
  utimesSync(odd, old, old);
  pruneSessionLogs(place.folder);
  expect(readdirSync(place.folder)).toEqual(["odd"]);
  const file = join(odd, "file");
  writeFileSync(file, "");
  pruneSessionLogs(file);
  openSessionLog({ file: join(file, "8765.jsonl"), tokenKey: () => "key" }).close();
});
