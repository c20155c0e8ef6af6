import { mkdtempDisposable, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { saveMedia } from "./save-media.ts";

const makeFolder = () => mkdtempDisposable(join(tmpdir(), "save-media-"));

test("media get files of their own that only the owner can read, in a folder that is made", async () => {
  await using parent = await makeFolder();
  const folder = join(parent.path, "new");
  const first = await saveMedia({ content: Buffer.from("one"), name: "../a.tar.gz" }, folder);
  const second = await saveMedia({ content: Buffer.from("two!"), name: "a.tar.gz" }, folder);
  expect([first, second]).toEqual([
    { path: join(folder, "a.tar.gz"), bytes: 3 },
    { path: join(folder, "a-2.tar.gz"), bytes: 4 },
  ]);
  expect(await readFile(first.path, "utf8")).toBe("one");
  expect((await stat(first.path)).mode & 0o777).toBe(0o600);
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
});

test("media without a name are named by their type", async () => {
  await using folder = await makeFolder();
  await saveMedia({ content: Buffer.from("x"), mimeType: "image/png" }, folder.path);
  await saveMedia({ content: Buffer.from("x") }, folder.path);
  expect((await readdir(folder.path)).toSorted()).toEqual(["file.bin", "file.png"]);
});

test("a file that can't be written is reported by its path", async () => {
  await using folder = await makeFolder();
  const taken = join(folder.path, "file");
  await writeFile(taken, "");
  const saved = saveMedia({ content: Buffer.from("x"), name: "a.txt" }, taken);
  await expect(saved).rejects.toMatchObject({ code: "io", message: expect.stringContaining(join(taken, "a.txt")) });
});
