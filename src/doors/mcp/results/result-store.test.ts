import {
  appendFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  truncate,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isWindows } from "../../../../tests/support/cli/run-clawport.ts";
import { makePipe } from "../../../../tests/servers/open-sleepy.ts";
import { silentLog } from "../../../core/log.ts";
import { openResultStore, type ResultStoreOptions } from "./result-store.ts";

const megabyte = 1_048_576;

async function openFolder(options: Partial<ResultStoreOptions> = {}) {
  const folder = join(await mkdtemp(join(tmpdir(), "results-")), "kept");
  let now = 1_700_000_000_000;
  const open = () =>
    openResultStore({ folder, keepMs: 3_600_000, maxBytes: megabyte, log: silentLog, clock: () => now, ...options });
  const store = open();
  return {
    folder,
    store,
    open,
    pass: (ms: number) => (now += ms),
    async read(owner: string, id: string, from = store): Promise<string> {
      await using opened = await from.open(owner, id);
      return (await opened.read(0, opened.bytes)).toString();
    },
    async [Symbol.asyncDispose]() {
      await store.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const codeOf = (reading: Promise<unknown>) =>
  reading.then(
    () => "read",
    (error: { code: string; message: string }) => `${error.code}: ${error.message}`,
  );

test("a text is kept byte for byte, in a file that only its owner can read", async () => {
  await using place = await openFolder();
  const kept = await place.store.put("me", "one\ntwö\n三");
  expect(kept).toMatchObject({ bytes: 12, lines: 3, id: expect.stringMatching(/^[0-9a-z]+-[0-9a-f]{32}$/) });
  expect(await place.read("me", kept!.id)).toBe("one\ntwö\n三");
  const [name = ""] = await readdir(place.folder);
  expect((await stat(join(place.folder, name))).mode & 0o777).toBe(0o600);
  expect((await stat(place.folder)).mode & 0o777).toBe(0o700);
});

test("only the caller that got it can read it, and another learns nothing about it", async () => {
  await using place = await openFolder();
  const { id } = (await place.store.put("me", "secret"))!;
  const missing = `${id.slice(0, -1)}${id.endsWith("0") ? "1" : "0"}`;
  const refusal = await codeOf(place.read("you", id));
  expect(refusal).toMatch(/^not-found: There is no result/);
  expect(refusal.replace(id, "")).toBe((await codeOf(place.read("you", missing))).replace(missing, ""));
  expect(await readFile(join(place.folder, (await readdir(place.folder))[0]!), "utf8")).not.toContain("me");
});

test("a file whose owner was overwritten with something else is gone", async () => {
  await using place = await openFolder();
  const { id } = (await place.store.put("me", "text"))!;
  const [name = ""] = await readdir(place.folder);
  const path = join(place.folder, name);
  const bytes = await readFile(path);
  await writeFile(path, bytes.fill(0xe9, 0, 64));
  expect(await codeOf(place.read("me", id))).toMatch(/^not-found: /);
});

test("after its time it is gone, and the answer says so, also in another process", async () => {
  await using place = await openFolder();
  const { id } = (await place.store.put("me", "text"))!;
  const next = place.open();
  place.pass(3_599_000);
  expect(await place.read("me", id, next)).toBe("text");
  place.pass(1000);
  for (const store of [place.store, next])
    expect(await codeOf(place.read("me", id, store))).toMatch(
      /^not-found: The result .* is gone: results are kept for 1 h/,
    );
  await next.sweep();
  expect(await readdir(place.folder)).toEqual([]);
  await next.close();
});

test("the oldest make room for the newest, and one that is too large is not kept", async () => {
  await using place = await openFolder();
  const ids: string[] = [];
  for (let index = 0; index < 5; index++) {
    ids.push((await place.store.put("me", String(index).repeat(300_000)))!.id);
    place.pass(1);
  }
  const read = await Promise.all(ids.map((id) => codeOf(place.read("me", id))));
  expect(read.map((each) => each.split(":")[0])).toEqual(["not-found", "not-found", "read", "read", "read"]);
  expect(await place.store.put("me", "x".repeat(megabyte))).toBeUndefined();
});

test("many at once stay within the limit, in two processes too", async () => {
  await using place = await openFolder();
  const other = place.open();
  const stores = [place.store, other];
  const puts = Array.from({ length: 40 }, async (_, at) => {
    await stores[at % 2]!.put("me", "y".repeat(100_000));
    const whole = (await readdir(place.folder)).filter((name) => !name.endsWith(".draft"));
    expect(whole.length).toBeLessThanOrEqual(10);
  });
  await Promise.all(puts);
  // When it is full, a sixteenth is freed at once.
  expect((await readdir(place.folder)).length).toBeGreaterThanOrEqual(9);
  await other.close();
});

test("results of two processes that fit without a look at the folder stay within the limit after it", async () => {
  await using place = await openFolder();
  const other = place.open();
  const ids: string[] = [];
  for (let at = 0; at < 300; at++) {
    ids.push((await [place.store, other][at % 2]!.put("me", "y".repeat(10_000)))!.id);
    place.pass(10);
  }
  const names = await readdir(place.folder);
  const bytes = names.reduce((sum, name) => sum + Number(name.split(".")[1]), 0);
  // Each process may fill its sixteenth before it looks again.
  expect(bytes).toBeLessThanOrEqual(megabyte + 2 * (megabyte / 16));
  expect(bytes).toBeGreaterThan(megabyte / 2);
  expect(await place.read("me", ids.at(-1)!, other)).toBe("y".repeat(10_000));
  expect(await codeOf(place.read("me", ids[0]!))).toMatch(/^not-found: /);
  place.pass(1000);
  await place.store.sweep();
  const left = await readdir(place.folder);
  expect(left.reduce((sum, name) => sum + Number(name.split(".")[1]), 0)).toBeLessThanOrEqual(megabyte);
  await other.close();
});

test("what another process is writing counts, until it is known to have died", async () => {
  await using place = await openFolder();
  const old = (await place.store.put("me", "x".repeat(300_000)))!;
  const draft = join(place.folder, `${old.id.slice(0, -4)}0000.900000.draft`);
  await writeFile(draft, "as much as it has written so far");
  place.pass(1);
  expect(await place.store.put("me", "y".repeat(200_000))).toBeUndefined();
  expect(await place.read("me", old.id)).toContain("x");
  expect(await readdir(place.folder)).toHaveLength(2);
  place.pass(700_000);
  const { id } = (await place.store.put("me", "z".repeat(200_000)))!;
  expect(await place.read("me", id)).toContain("z");
  expect((await readdir(place.folder)).filter((name) => name.endsWith(".draft"))).toEqual([]);
});

test.skipIf(isWindows).each<[string, (file: string) => Promise<unknown>]>([
  ["a link to it", async (file) => (await rename(file, `${file}.moved`), symlink(`${file}.moved`, file))],
  ["a named pipe", async (file) => (await rm(file), makePipe(file))],
  ["a folder", async (file) => (await rm(file), mkdir(file))],
  ["half of it", (file) => truncate(file, 200)],
  ["an empty file", (file) => truncate(file, 0)],
  ["more than it", (file) => appendFile(file, "more")],
])("%s in place of a result is not read", async (_, spoil) => {
  await using place = await openFolder();
  const { id } = (await place.store.put("me", "text ".repeat(100)))!;
  await spoil(join(place.folder, (await readdir(place.folder))[0]!));
  expect(await codeOf(place.read("me", id))).toMatch(/^not-found: There is no result/);
  expect(await place.store.put("me", "next")).toMatchObject({ bytes: 4 });
});

test("a thousand at once are all kept, each as it was", { timeout: 120_000 }, async () => {
  await using place = await openFolder({ maxBytes: 4 * megabyte });
  const kept = await Promise.all(Array.from({ length: 1000 }, (_, at) => place.store.put("me", `text ${at}`)));
  const texts = await Promise.all(kept.map((each) => place.read("me", each!.id)));
  expect(texts).toEqual(kept.map((_, at) => `text ${at}`));
});

test("drafts of a process that died are removed, and other files are left alone", async () => {
  await using place = await openFolder();
  const { id } = (await place.store.put("me", "text"))!;
  await writeFile(join(place.folder, `${id}.9.draft`), "half");
  await writeFile(join(place.folder, "notes"), "mine");
  place.pass(700_000);
  await place.store.sweep();
  expect((await readdir(place.folder)).toSorted()).toEqual([expect.stringMatching(`^${id}\\.\\d+$`), "notes"]);
});

test("what was promised before the disk refused it stays in memory; later callers get the whole text", async () => {
  await using place = await openFolder();
  await place.store.put("me", "x");
  await rm(place.folder, { recursive: true });
  await writeFile(place.folder, "not a folder");
  const { id } = (await place.store.put("me", "text"))!;
  await place.store.close();
  expect(await place.read("me", id)).toBe("text");
  expect(await codeOf(place.read("you", id))).toMatch(/^not-found: There is no result/);
  expect(await place.store.put("me", "text")).toBeUndefined();
  place.pass(3_600_000);
  expect(await codeOf(place.read("me", id))).toMatch(/^not-found: .* is gone/);
});

test("a result can be read while it is written, and is on the disk when the store is closed", async () => {
  await using place = await openFolder();
  await place.store.put("me", "x");
  const kept = (await place.store.put("me", "öne\ntwo"))!;
  expect(kept).toMatchObject({ bytes: 8, lines: 2 });
  await using held = await place.store.open("me", kept.id);
  expect(held).toMatchObject(kept);
  expect((await held.read(2, 100)).toString()).toBe("ne\ntwo");
  expect((await held.read(8, 10)).length).toBe(0);
  await place.store.close();
  const next = place.open();
  expect(await place.read("me", kept.id, next)).toBe("öne\ntwo");
  await next.close();
});

test.each(["", "../../etc/passwd", "x".repeat(1000), "a-b", "0-../x"])("%j is not an id", async (id) => {
  await using place = await openFolder();
  expect(await codeOf(place.read("me", id))).toMatch(/^not-found: .* is not the id of a result/);
});
