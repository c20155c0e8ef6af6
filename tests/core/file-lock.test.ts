import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { mkdtempDisposable, readdir, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { withFileLock } from "../../src/core/files/file-lock.ts";
import { formatMark, ownMark } from "../../src/core/process/process-mark.ts";
import { sleep } from "../../src/core/wait.ts";
import { program } from "../setup/programs.ts";

const child = program("tests/core/lock-child.ts");
const makeFolder = () => mkdtempDisposable(join(tmpdir(), "clawport-"));
/** A system without /proc: who lives is known by heartbeat. */
const noProc = "/no/such/folder";

function start(...args: string[]): ChildProcess {
  return spawn(process.execPath, [child, ...args], { stdio: ["ignore", "pipe", "inherit"] });
}

async function startHolder(folder: string, proc = "/proc"): Promise<ChildProcess> {
  const holder = start("hold", folder, proc);
  await once(holder.stdout!, "data");
  return holder;
}

async function kill(process: ChildProcess): Promise<void> {
  process.kill("SIGKILL");
  await once(process, "exit");
}

test.each(["/proc", noProc])("processes take turns, and none is lost (%s)", async (proc) => {
  await using folder = await makeFolder();
  await writeFile(join(folder.path, "count"), "0");
  const children = Array.from({ length: 4 }, () => start("count", folder.path, proc, "25"));
  const exits = await Promise.all(children.map((process) => once(process, "exit")));
  expect(exits.map(([code]) => code as unknown)).toEqual([0, 0, 0, 0]);
  expect(await readFile(join(folder.path, "count"), "utf8")).toBe("100");
  expect(await readFile(join(folder.path, "journal"), "utf8")).toBe("<>".repeat(100));
});

test("many waiters on the lock of a dead process: each gets it, one at a time", async () => {
  await using folder = await makeFolder();
  await writeFile(join(folder.path, "count"), "0");
  const lock = join(folder.path, "x.lock");
  mkdirSync(lock);
  // Dead claims are put down again and again, so that takeovers meet each other all the time.
  const dead = formatMark({ ...ownMark("/proc"), start: "1" });
  let planted = 0;
  const planting = setInterval(() => writeFileSync(join(lock, `${dead}.${planted++}`), ""), 1);
  const children = Array.from({ length: 4 }, () => start("count", folder.path, "/proc", "25"));
  await Promise.all(children.map((process) => once(process, "exit")));
  clearInterval(planting);
  expect(planted).toBeGreaterThan(50);
  expect(await readFile(join(folder.path, "journal"), "utf8")).toBe("<>".repeat(100));
});

test.each(["/proc", noProc])("the lock of a process that was killed is taken over (%s)", async (proc) => {
  await using folder = await makeFolder();
  const lock = join(folder.path, "x.lock");
  await kill(await startHolder(folder.path, proc));
  expect(await readdir(lock)).toHaveLength(1);
  expect(await withFileLock(lock, { proc, waitMs: 10_000 }, async () => "mine")).toBe("mine");
  expect(await readdir(lock)).toEqual([]);
});

test.each([
  ["/proc", 300],
  [noProc, 1800],
])("the lock of a living process is waited for, then a fault names it (%s)", async (proc, waitMs) => {
  await using folder = await makeFolder();
  const holder = await startHolder(folder.path, proc);
  try {
    const options = { proc, beatMs: 100, waitMs };
    const failing = withFileLock(join(folder.path, "x.lock"), options, async () => "both");
    await expect(failing).rejects.toMatchObject({ code: "locked", detail: { pid: holder.pid } });
  } finally {
    await kill(holder);
  }
});

test("a process that was killed and not yet buried by its parent is dead", async () => {
  await using folder = await makeFolder();
  const script = `"$0" "$1" hold "$2" & read line; kill -9 $!; echo killed; exec sleep 60`;
  const parent = spawn("sh", ["-c", script, process.execPath, child, folder.path], { stdio: "pipe" });
  try {
    await once(parent.stdout, "data");
    parent.stdin.write("\n");
    await once(parent.stdout, "data");
    expect(await withFileLock(join(folder.path, "x.lock"), { waitMs: 10_000 }, async () => 1)).toBe(1);
  } finally {
    await kill(parent);
  }
});

test("without a view of the process, a claim counts until its heart has stopped", async () => {
  await using folder = await makeFolder();
  const lock = join(folder.path, "x.lock");
  mkdirSync(lock);
  writeFileSync(join(lock, `${formatMark({ ...ownMark("/proc"), place: "elsewhere" })}.1`), "");
  const started = performance.now();
  await withFileLock(lock, { heartbeatMs: 20, waitMs: 10_000 }, async () => {});
  expect(performance.now() - started).toBeGreaterThan(200);
});

test("callers in one process take turns in the order they came", async () => {
  await using folder = await makeFolder();
  const order: number[] = [];
  const take = (i: number) =>
    withFileLock(join(folder.path, "x.lock"), {}, async () => {
      order.push(i);
      await sleep(1);
      order.push(i);
    });
  await Promise.all([0, 1, 2, 3].map(take));
  expect(order).toEqual([0, 0, 1, 1, 2, 2, 3, 3]);
});

test("a waiter that gives up leaves the others in line and the lock intact", async () => {
  await using folder = await makeFolder();
  const lock = join(folder.path, "x.lock");
  const release = Promise.withResolvers<void>();
  const holding = withFileLock(lock, {}, () => release.promise);
  const stop = new AbortController();
  const cancelled = withFileLock(lock, { signal: stop.signal }, async () => "never");
  const late = withFileLock(lock, { waitMs: 30 }, async () => "never");
  const patient = withFileLock(lock, {}, async () => "at last");
  stop.abort();
  await expect(cancelled).rejects.toMatchObject({ code: "cancelled" });
  await expect(late).rejects.toMatchObject({ code: "locked" });
  release.resolve();
  await holding;
  expect(await patient).toBe("at last");
});

test("a lock that can't be made is a fault", async () => {
  await using folder = await makeFolder();
  await writeFile(join(folder.path, "file"), "");
  await expect(withFileLock(join(folder.path, "file", "x.lock"), {}, async () => 1)).rejects.toMatchObject({
    code: "io",
  });
});

test("work that throws releases the lock", async () => {
  await using folder = await makeFolder();
  const lock = join(folder.path, "x.lock");
  await expect(withFileLock(lock, {}, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(await readdir(lock)).toEqual([]);
});

test("a lock that is removed after use keeps processes apart all the same, and leaves nothing", async () => {
  await using folder = await makeFolder();
  await writeFile(join(folder.path, "count"), "0");
  const children = Array.from({ length: 4 }, () => start("count", folder.path, "/proc", "25", "remove"));
  const exits = await Promise.all(children.map((process) => once(process, "exit")));
  expect(exits.map(([code]) => code as unknown)).toEqual([0, 0, 0, 0]);
  expect(await readFile(join(folder.path, "journal"), "utf8")).toBe("<>".repeat(100));
  expect((await readdir(folder.path)).toSorted()).toEqual(["count", "journal"]);
});
