import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findExecutable } from "./find-program.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "find-"));
  await mkdir(join(folder, "dir"));
  for (const name of ["tool", "shell.exe", "plain"]) await writeFile(join(folder, name), "");
  for (const name of ["tool", "shell.exe"]) await chmod(join(folder, name), 0o755);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test.skipIf(process.platform === "win32")("finds files that can be run, and nothing else", async () => {
  const find = (name: string) => findExecutable(name, { PATH: `/nowhere${delimiter}${folder}` }, "linux");
  expect(await find("tool")).toBe(join(folder, "tool"));
  for (const name of ["plain", "dir", "none"]) expect(await find(name)).toBeUndefined();
});

test.skipIf(process.platform === "win32")("an empty or relative folder in PATH does not count", async () => {
  for (const path of ["", ".", "dir", `:.`])
    expect(await findExecutable("package.json", { PATH: path }, "linux")).toBeUndefined();
  expect(await findExecutable("tool", {}, "linux")).toBeUndefined();
});

test("on Windows a name may have its ending or not", async () => {
  const env = { Path: folder, PATHEXT: ".COM;.exe" };
  expect(await findExecutable("shell.exe", env, "win32")).toBe(join(folder, "shell.exe"));
  expect(await findExecutable("shell", env, "win32")).toBe(join(folder, "shell.exe"));
});
