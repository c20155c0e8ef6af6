import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { silentLog } from "../log.ts";
import { pruneFolder } from "./prune-folder.ts";

const day = 24 * 60 * 60 * 1000;
const now = 100 * day;
const bounds = { oldestMs: 30 * day, mostFiles: 3, mostBytes: 100 };

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

test("what is old goes, and folders stay", async () => {
  expect(await swept({ new: [1, 1], old: [1, 31] })).toEqual(["mine", "new"]);
});

test("of too many the oldest go", async () => {
  expect(await swept({ d: [1, 4], a: [1, 1], c: [1, 3], b: [1, 2] })).toEqual(["a", "b", "c", "mine"]);
});

test("of what is too large together the oldest go", async () => {
  expect(await swept({ a: [60, 1], b: [60, 2], c: [1, 3] })).toEqual(["a", "mine"]);
});

test("what was just saved stays, however large", async () => {
  expect(await swept({ huge: [1000, 0], old: [1, 1] })).toEqual(["huge", "mine"]);
});

test("a folder that is not there is none to sweep", async () => {
  const nowhere = join(tmpdir(), "clawport-no-such-folder");
  await expect(pruneFolder(nowhere, silentLog, now)).resolves.toBeUndefined();
});
