import { mkdir, mkdtempDisposable, realpath, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadConfig } from "../load-config.ts";
import { commandsOf, hashRunFiles, type StartedCommand } from "./run-files.ts";

interface Folder extends AsyncDisposable {
  readonly path: string;
  /** The files that these commands run, in order. */
  run(...commands: StartedCommand[]): Promise<readonly string[]>;
}

async function folderWith(...files: readonly string[]): Promise<Folder> {
  const made = await mkdtempDisposable(join(tmpdir(), "clawport-"));
  const path = join(await realpath(made.path), "folder");
  for (const file of files) {
    await mkdir(join(path, file, ".."), { recursive: true });
    await writeFile(join(path, file), file);
  }
  return {
    path,
    run: async (...commands) => Object.keys(await hashRunFiles([path], commands)),
    [Symbol.asyncDispose]: () => made[Symbol.asyncDispose](),
  };
}

const words = (command: string, ...args: string[]): StartedCommand => ({ command, args });

test("files are found as the command, as an argument, and as a part of one", async () => {
  await using folder = await folderWith("server.mjs", "run.sh", "tools/x.py", "hook.mjs", "__proto__", "data");
  const { run, path } = folder;
  expect(await run(words("node", "server.mjs"))).toEqual(["server.mjs"]);
  expect(await run(words("./run.sh"))).toEqual(["run.sh"]);
  expect(await run(words("python", "tools/x.py"))).toEqual([join("tools", "x.py")]);
  expect(await run({ ...words("python", "x.py"), cwd: "tools" })).toEqual([join("tools", "x.py")]);
  expect(await run(words("node", "--import=./hook.mjs", "server.mjs"))).toEqual(["hook.mjs", "server.mjs"]);
  expect(await run(words("sh", "-c", "./run.sh && node 'server.mjs'|cat"))).toEqual(["run.sh", "server.mjs"]);
  expect(await run({ ...words("node"), env: { NODE_OPTIONS: "--require ./hook.mjs", X: "data" } })).toEqual([
    "hook.mjs",
  ]);
  expect(await run(words("node", join(path, "server.mjs")))).toEqual(["server.mjs"]);
  expect(await run(words("node", "__proto__"))).toEqual(["__proto__"]);
});

test("folders, missing files and absolute paths elsewhere are left out; a relative path is not, wherever it leads", async () => {
  await using folder = await folderWith("server.mjs", "../outside.mjs");
  const outside = join(folder.path, "..", "outside.mjs");
  expect(await folder.run(words("npx", "-y", ".", "none.mjs", "/", "", "a\0b", outside))).toEqual([]);
  expect(await folder.run(words("node", "../outside.mjs"))).toEqual([join("..", "outside.mjs")]);
});

test("the hash is that of the content, also behind a link, and changes with it", async () => {
  await using folder = await folderWith("server.mjs", "other.mjs");
  await symlink("server.mjs", join(folder.path, "link.mjs"));
  const hash = async (file: string) => (await hashRunFiles([folder.path], [words("node", file)]))[file];
  const before = await hash("server.mjs");
  expect(await hash("link.mjs")).toBe(before);
  expect(await hash("other.mjs")).not.toBe(before);
  await writeFile(join(folder.path, "server.mjs"), "changed");
  expect(await hash("link.mjs")).not.toBe(before);
});

test("too many or too large files are refused, and the fault says what to do", async () => {
  const many = Array.from({ length: 101 }, (_, index) => `f${index}`);
  await using folder = await folderWith(...many);
  await expect(folder.run(words("x", ...many))).rejects.toMatchObject({
    code: "untrusted",
    message: expect.stringMatching(/it runs more than 100 files\. .*--config/) as string,
  });
  await truncate(join(folder.path, "f0"), 64 * 1024 * 1024 + 1);
  await expect(folder.run(words("x", "f0"))).rejects.toThrow(/f0 is larger than 64 MB\. Review the folder/);
  await rm(join(folder.path, "f0"));
  await expect(
    folder.run(words("x", "a ".repeat(10) + Array.from({ length: 5001 }, (_, n) => n).join(" "))),
  ).rejects.toThrow("too many arguments");
});

test("the commands of a configuration are those of its servers, also of disabled ones, and of the transcription", async () => {
  const text = `{
    servers: { a: { command: "a", args: ["1"] }, b: { command: "b", enabled: false }, c: { url: "https://c.example/" } },
    agent: { transcription: { command: ["whisper", "{file}"] } },
  }`;
  const { config } = await loadConfig({ path: "clawport.json5", text, env: {} });
  expect(commandsOf(config).map(({ command, args }) => [command, ...args])).toEqual([
    ["a", "1"],
    ["b"],
    ["whisper", "{file}"],
  ]);
});
