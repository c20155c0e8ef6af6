import { chmod, mkdtempDisposable, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Fault } from "../fault.ts";
import { createLog } from "../log.ts";
import { openStateFile, type StateFile } from "./state-file.ts";

type Names = { names: string[] };

const makeFolder = () => mkdtempDisposable(join(tmpdir(), "clawport-"));

function openNames(folder: string, lines: string[] = []): StateFile<Names> {
  const log = createLog({ level: "debug", format: "human", write: (line) => lines.push(line) });
  const now = (): Date => new Date("2026-01-02T03:04:05.678Z");
  return openStateFile({ path: join(folder, "names.json"), parse: parseNames, empty: { names: [] }, log, now });
}

function parseNames(value: unknown): Names {
  if (typeof value === "object" && value !== null && "names" in value && Array.isArray(value.names)) {
    return { names: value.names.map(String) };
  }
  throw new Fault("corrupt", "no names");
}

test("a missing file reads as empty, and reading makes no file", async () => {
  await using folder = await makeFolder();
  expect(await openNames(folder.path).read()).toEqual({ names: [] });
  expect(await readdir(folder.path)).toEqual([]);
});

test("what one process writes another reads, and the file is owner-only", async () => {
  await using folder = await makeFolder();
  expect(await openNames(folder.path).update(() => ({ names: ["a"] }))).toEqual({ names: ["a"] });
  expect(await openNames(folder.path).read()).toEqual({ names: ["a"] });
  expect((await stat(join(folder.path, "names.json"))).mode & 0o777).toBe(0o600);
});

test("updates at the same time all count", async () => {
  await using folder = await makeFolder();
  const [first, second] = [openNames(folder.path), openNames(folder.path)];
  const add = (name: string) => (current: Names) => ({ names: [...current.names, name] });
  await Promise.all(
    Array.from({ length: 10 }, (_, i) => [first.update(add(`a${i}`)), second.update(add(`b${i}`))]).flat(),
  );
  expect((await first.read()).names).toHaveLength(20);
});

test("the empty value is not shared between readers", async () => {
  await using folder = await makeFolder();
  const file = openNames(folder.path);
  (await file.read()).names.push("mine");
  expect(await file.read()).toEqual({ names: [] });
});

test.each([
  ["half a file", '{"names":["a'],
  ["no content", ""],
  ["zeroes", "\0\0\0\0"],
  ["something else", '{"servers":[]}'],
])("a damaged file (%s) is set aside and reported, and work goes on", async (_, content) => {
  await using folder = await makeFolder();
  const lines: string[] = [];
  const file = openNames(folder.path, lines);
  await writeFile(file.path, content);
  expect(await file.read()).toEqual({ names: [] });
  expect(await readFile(`${file.path}.damaged-20260102T030405678Z`, "utf8")).toBe(content);
  expect(lines.filter((line) => line.includes("damaged"))).toHaveLength(1);
  expect(await file.update(() => ({ names: ["new"] }))).toEqual({ names: ["new"] });
});

test("a damaged file is set aside by an update, too, and never overwritten", async () => {
  await using folder = await makeFolder();
  const file = openNames(folder.path);
  await writeFile(file.path, "precious");
  await file.update(({ names }) => ({ names: [...names, "new"] }));
  expect(await readFile(`${file.path}.damaged-20260102T030405678Z`, "utf8")).toBe("precious");
  expect(await file.read()).toEqual({ names: ["new"] });
});

test("a file that can't be read is a fault, not an empty file to write over", async () => {
  await using folder = await makeFolder();
  const file = openStateFile({ path: join(folder.path, "sub"), parse: parseNames, empty: { names: [] } });
  await openNames(file.path).update(() => ({ names: ["a"] }));
  await expect(file.read()).rejects.toMatchObject({ code: "io" });
  await expect(file.update((current) => current)).rejects.toMatchObject({ code: "io" });
});

test("a change that throws leaves the file as it was", async () => {
  await using folder = await makeFolder();
  const file = openNames(folder.path);
  await file.update(() => ({ names: ["a"] }));
  const failing = file.update(() => {
    throw new Fault("denied", "no");
  });
  await expect(failing).rejects.toMatchObject({ code: "denied" });
  expect(await file.update((current) => current)).toEqual({ names: ["a"] });
});

test("an update that changes nothing writes nothing", async () => {
  await using folder = await makeFolder();
  const file = openNames(folder.path);
  await file.update(() => ({ names: ["a"] }));
  await chmod(file.path, 0o400);
  const before = await stat(file.path);
  await file.update(({ names }) => ({ names: [...names] }));
  expect((await stat(file.path)).ino).toBe(before.ino);
});
