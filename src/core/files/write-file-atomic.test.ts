import { mkdtempDisposable, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { writeFileAtomic } from "./write-file-atomic.ts";

const makeFolder = () => mkdtempDisposable(join(tmpdir(), "clawport-"));

test("the file is there afterwards, owner-only, in folders made on the way, with nothing beside it", async () => {
  await using folder = await makeFolder();
  const path = join(folder.path, "a", "b", "file.json");
  await writeFileAtomic(path, "content");
  expect(await readFile(path, "utf8")).toBe("content");
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect((await stat(join(folder.path, "a"))).mode & 0o777).toBe(0o700);
  expect(await readdir(join(folder.path, "a", "b"))).toEqual(["file.json"]);
});

test("an existing file is replaced, permissions included", async () => {
  await using folder = await makeFolder();
  const path = join(folder.path, "file");
  await writeFile(path, "a much longer old content", { mode: 0o644 });
  await writeFileAtomic(path, new Uint8Array([1, 2]), { mode: 0o640 });
  expect(await readFile(path)).toEqual(Buffer.from([1, 2]));
  expect((await stat(path)).mode & 0o777).toBe(0o640);
});

test("a link in the file's place is replaced and not followed", async () => {
  await using folder = await makeFolder();
  const [victim, path] = [join(folder.path, "victim"), join(folder.path, "file")];
  await writeFile(victim, "untouched");
  await symlink(victim, path);
  await writeFileAtomic(path, "new");
  expect(await readFile(victim, "utf8")).toBe("untouched");
  expect(await readFile(path, "utf8")).toBe("new");
});

test("a write that fails is a fault and leaves no draft", async () => {
  await using folder = await makeFolder();
  const path = join(folder.path, "taken");
  await writeFileAtomic(join(path, "inside"), "x");
  await expect(writeFileAtomic(path, "x")).rejects.toMatchObject({ code: "io" });
  expect(await readdir(folder.path)).toEqual(["taken"]);
});

test("readers during many writes see only whole contents", async () => {
  await using folder = await makeFolder();
  const path = join(folder.path, "file");
  const contents = ["a", "b"].map((letter) => letter.repeat(200_000));
  await writeFileAtomic(path, contents[0]!);
  const writing = (async () => {
    for (let round = 0; round < 20; round++) await writeFileAtomic(path, contents[round % 2]!);
  })();
  for (let round = 0; round < 40; round++) expect(contents).toContain(await readFile(path, "utf8"));
  await writing;
});
