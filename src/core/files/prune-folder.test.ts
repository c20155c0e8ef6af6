import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { silentLog } from "../log.ts";
import { pruneFolder } from "./prune-folder.ts";

const day = 24 * 60 * 60 * 1000;
const now = 100 * day;
const bounds = { maxAgeMs: 30 * day, maxFiles: 3, maxBytes: 100 };

/** Files by name, each with its size and its age in days. */
async function swept(files: Readonly<Record<string, readonly [size: number, age: number]>>): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), "clawport-results-"));
  try {
    await mkdir(join(folder, "mine"));
    for (const [name, [size, age]] of Object.entries(files)) {
      await writeFile(join(folder, name), "x".repeat(size));
      const at = (now - age * day) / 1000;
      await utimes(join(folder, name), at, at);
    }
    await pruneFolder(folder, silentLog, now, bounds);
    return (await readdir(folder)).toSorted();
  } finally {
    await rm(folder, { recursive: true });
  }
}

test("old files are removed, folders stay", async () => {
  expect(await swept({ new: [1, 1], old: [1, 31] })).toEqual(["mine", "new"]);
});

test("of too many files the oldest are removed", async () => {
  expect(await swept({ d: [1, 4], a: [1, 1], c: [1, 3], b: [1, 2] })).toEqual(["a", "b", "c", "mine"]);
});

test("of files that are too large together the oldest are removed", async () => {
  expect(await swept({ a: [60, 1], b: [60, 2], c: [1, 3] })).toEqual(["a", "mine"]);
});

test("a file that was just saved stays, however large", async () => {
  expect(await swept({ huge: [1000, 0], old: [1, 1] })).toEqual(["huge", "mine"]);
});

test("a missing folder is no error", async () => {
  const nowhere = join(tmpdir(), "clawport-no-such-folder");
  await expect(pruneFolder(nowhere, silentLog, now, bounds)).resolves.toBeUndefined();
});
