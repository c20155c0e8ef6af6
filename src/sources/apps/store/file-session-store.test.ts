import { execFile } from "node:child_process";
import { appendFile, mkdtemp, readFile, rm, stat, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openFileSessionStore } from "./file-session-store.ts";
import { sessionRecord, testSessionStore } from "./session-store.contract.ts";

const run = promisify(execFile);

let folder: string;
let next = 0;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "file-session-store-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const newPath = () => join(folder, `${next++}`, "sessions.log");
const idsOf = async (path: string) => {
  await using store = await openFileSessionStore({ path });
  return (await store.all()).map(({ record }) => record.id);
};

describe("a store in a log file", () => {
  testSessionStore(() => openFileSessionStore({ path: newPath() }));

  test("has the same sessions after a restart: what was put, touched and removed", async () => {
    const path = newPath();
    {
      await using store = await openFileSessionStore({ path });
      await store.put(sessionRecord("a"), 5000);
      await store.put(sessionRecord("b"), 5000);
      store.touch("a", 9000);
      await store.remove("b");
    }
    await using store = await openFileSessionStore({ path });
    expect(await store.all()).toMatchObject([{ record: sessionRecord("a"), expiresAt: 9000 }]);
  });

  test("what was put is in the file when the promise resolves, without a close", async () => {
    const path = newPath();
    await using store = await openFileSessionStore({ path });
    await store.put(sessionRecord("a"), 5000);
    expect(await readFile(path, "utf8")).toContain('"id":"a"');
  });

  test("a torn last line is dropped and overwritten, wherever it was torn", async () => {
    const path = newPath();
    {
      await using store = await openFileSessionStore({ path });
      await store.put(sessionRecord("a"), 5000);
      await store.put(sessionRecord("b"), 5000);
    }
    const whole = await readFile(path);
    const first = whole.indexOf(10) + 1;
    for (let cut = first; cut < whole.length; cut += 7) {
      await writeFile(path, whole.subarray(0, cut));
      {
        await using store = await openFileSessionStore({ path });
        await store.put(sessionRecord("c"), 5000);
      }
      expect(await idsOf(path)).toEqual(["a", "c"]);
    }
  });

  test("a damaged line in the middle loses that line and no other", async () => {
    const path = newPath();
    {
      await using store = await openFileSessionStore({ path });
      for (const id of ["a", "b", "c"]) await store.put(sessionRecord(id), 5000);
    }
    const text = await readFile(path, "utf8");
    await writeFile(path, text.replace('"id":"b"', '"id":"X"'));
    expect(await idsOf(path)).toEqual(["a", "c"]);
    await appendFile(path, "\u0000\u0000garbage");
    expect(await idsOf(path)).toEqual(["a", "c"]);
  });

  test("a log of mostly outdated lines is rewritten, and no change made meanwhile is lost", async () => {
    const path = newPath();
    const ids = Array.from({ length: 40 }, (_, at) => `s${at}`);
    {
      await using store = await openFileSessionStore({ path, compactOver: 20_000 });
      for (let round = 0; round < 10; round++) {
        await Promise.all(ids.map((id) => store.put(sessionRecord(id, { createdAt: round }), 5000 + round)));
        for (const id of ids) store.touch(id, 6000 + round);
      }
    }
    const line = (await readFile(path)).indexOf(10) + 1;
    expect((await stat(path)).size).toBeLessThan(line * ids.length * 4);
    await using store = await openFileSessionStore({ path });
    const all = await store.all();
    expect(all).toHaveLength(40);
    expect(all.every(({ record, expiresAt }) => record.createdAt === 9 && expiresAt === 6009)).toBe(true);
  });

  test("an empty file is an empty store", async () => {
    const path = newPath();
    {
      await using store = await openFileSessionStore({ path });
      await store.put(sessionRecord("a"), 5000);
    }
    await truncate(path, 0);
    expect(await idsOf(path)).toEqual([]);
  });
});

describe("a full disk", () => {
  /** Runs the body with a store whose file may grow to 1024 bytes: writes beyond that are cut short and fail. */
  async function withFullDisk(path: string, body: string): Promise<unknown> {
    const script = `
      const { openFileSessionStore } = await import(${JSON.stringify(new URL("file-session-store.ts", import.meta.url).href)});
      const { sessionRecord } = await import(${JSON.stringify(new URL("session-store.contract.ts", import.meta.url).href)});
      const store = await openFileSessionStore({ path: process.argv[1] });
      const large = (id) => ({ ...sessionRecord(id), deviceName: "x".repeat(2000) });
      const outcome = (work) => work.then(() => "kept", ({ code }) => code);
      console.log(JSON.stringify(await (async () => { ${body} })()));
      process.exit();
    `;
    const shell = 'ulimit -f 1; exec "$0" --input-type=module --eval "$1" "$2"';
    const { stdout } = await run("bash", ["-c", shell, process.execPath, script, path]);
    return JSON.parse(stdout);
  }

  async function pathWithA(): Promise<string> {
    const path = newPath();
    await using store = await openFileSessionStore({ path });
    await store.put(sessionRecord("a"), 5000);
    return path;
  }

  test("fails the change, and what was there before stays", async () => {
    const path = await pathWithA();
    expect(await withFullDisk(path, 'return outcome(store.put(large("b"), 5000))')).toBe("io");
    expect(await idsOf(path)).toEqual(["a"]);
  });

  test("does not bring back a session that was removed during a failed change", async () => {
    const body = `
      const change = outcome(store.put(large("a"), 5000));
      const removal = store.remove("a").catch(() => {});
      return [await change, await removal, (await store.get("a")) === undefined];
    `;
    expect(await withFullDisk(await pathWithA(), body)).toMatchObject({ 0: "io", 2: true });
  });

  test("keeps the old session, with its new expiry, if it was touched during a failed change", async () => {
    const body = `
      const change = outcome(store.put(large("a"), 5000));
      store.touch("a", 9000);
      const failed = await change;
      const { record, expiresAt } = await store.get("a");
      return [failed, record.deviceName.length < 2000, expiresAt];
    `;
    expect(await withFullDisk(await pathWithA(), body)).toEqual(["io", true, 9000]);
  });
});
