import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { mkdtempDisposable, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { expect, test } from "vitest";
import { isWindows } from "../../../tests/support/cli/run-clawport.ts";
import { Fault } from "../fault.ts";
import { loadConfig, type LoadedConfig } from "./load-config.ts";
import { watchConfig, type ConfigWatch } from "./watch-config.ts";

interface Watched extends ConfigWatch {
  readonly path: string;
  /** What was told, in order: the port of a new configuration or the code of a fault. */
  readonly told: (number | string)[];
}

interface WatchFileOptions {
  readonly pollMs?: number;
  readonly path?: string;
  readonly load?: (path: string) => (text: string) => Promise<LoadedConfig>;
}

async function watchFile(folder: string, options: WatchFileOptions = {}): Promise<Watched> {
  const path = join(folder, "clawport.json5");
  if (options.path === undefined) await writeFile(path, "{}");
  const told: (number | string)[] = [];
  const watching = watchConfig({
    path,
    raw: "{}",
    debounceMs: 20,
    pollMs: options.pollMs ?? 60_000,
    load: options.load?.(path) ?? ((text) => loadConfig({ path, text, env: {} })),
    onChange: ({ config }) => void told.push(config.hub.port),
    onProblem: ({ code }) => told.push(code),
  });
  return { ...watching, path, told };
}

const makeFolder = () => mkdtempDisposable(join(tmpdir(), "clawport-"));
const patience = { timeout: 10_000, interval: 5 };

test("a change is reported, whether the file is overwritten or replaced", async () => {
  await using folder = await makeFolder();
  await using watched = await watchFile(folder.path);
  await writeFile(watched.path, "{hub:{port:1}}");
  await expect.poll(() => watched.told, patience).toEqual([1]);
  for (const port of [2, 3]) {
    await writeFile(`${watched.path}~`, `{hub:{port:${port}}}`);
    await rename(`${watched.path}~`, watched.path);
    await expect.poll(() => watched.told.at(-1), patience).toBe(port);
  }
});

test("a bad edit is reported and changes nothing, and so is the fix", async () => {
  await using folder = await makeFolder();
  await using watched = await watchFile(folder.path);
  await writeFile(watched.path, "{hub:{prot:1}}");
  await expect.poll(() => watched.told, patience).toEqual(["config"]);
  await writeFile(watched.path, "{hub:{port:4}}");
  await expect.poll(() => watched.told, patience).toEqual(["config", 4]);
});

test("a file that disappears is reported, and so is its return", async () => {
  await using folder = await makeFolder();
  await using watched = await watchFile(folder.path);
  await rm(watched.path);
  await expect.poll(() => watched.told, patience).toEqual(["config"]);
  await writeFile(watched.path, "{hub:{port:5}}");
  await expect.poll(() => watched.told, patience).toEqual(["config", 5]);
});

test("without notifications from the system, polling finds the change", async () => {
  await using folder = await makeFolder();
  await using elsewhere = await makeFolder();
  const target = join(elsewhere.path, "real");
  await writeFile(target, "{}");
  await symlink(target, join(folder.path, "clawport.json5"));
  await using watched = await watchFile(folder.path, { pollMs: 20, path: target });
  await writeFile(target, "{hub:{port:6}}");
  await expect.poll(() => watched.told.at(-1), patience).toBe(6);
});

test("writing the same content, or another file of the folder, reports nothing", async () => {
  await using folder = await makeFolder();
  await using watched = await watchFile(folder.path);
  await writeFile(watched.path, "{}");
  await writeFile(join(folder.path, "other"), "x");
  await writeFile(watched.path, "{hub:{port:7}}");
  await expect.poll(() => watched.told, patience).toEqual([7]);
});

test("a file that is empty while it is overwritten is no problem, one that stays empty is", async () => {
  await using folder = await makeFolder();
  await using watched = await watchFile(folder.path);
  await writeFile(watched.path, "");
  await setTimeout(100);
  // At once: however late this turn of the loop comes, nobody else looks before it is over.
  writeFileSync(watched.path, "{hub:{port:8}}");
  await expect.poll(() => watched.told, patience).toEqual([8]);
  await writeFile(watched.path, "");
  await expect.poll(() => watched.told, patience).toEqual([8, "config"]);
});

test("after closing nothing is reported", async () => {
  await using folder = await makeFolder();
  const closed = await watchFile(folder.path, { pollMs: 5 });
  await closed.close();
  await using watched = await watchFile(folder.path, { pollMs: 50 });
  await writeFile(watched.path, "{hub:{port:8}}");
  await expect.poll(() => watched.told, patience).toEqual([8]);
  expect(closed.told).toEqual([]);
});

test.skipIf(isWindows)(
  "a named pipe or a device in place of the file is reported at once, and so is a file again",
  async () => {
    await using folder = await makeFolder();
    await using watched = await watchFile(folder.path);
    await rm(watched.path);
    execFileSync("mkfifo", [watched.path]);
    await watched.probe();
    await rm(watched.path);
    await symlink("/dev/zero", watched.path);
    await watched.probe();
    expect(watched.told.slice(-2)).toEqual(["config", "config"]);
    await rm(watched.path);
    await writeFile(watched.path, "{hub:{port:9}}");
    await watched.probe();
    expect(watched.told.at(-1)).toBe(9);
  },
);

test("a text that was refused is tried again on request", async () => {
  await using folder = await makeFolder();
  let isTrusted = false;
  const load = (path: string) => (text: string) => {
    if (!isTrusted) throw new Fault("untrusted", "not yet");
    return loadConfig({ path, text, env: {} });
  };
  await using watched = await watchFile(folder.path, { load });
  await writeFile(watched.path, "{hub:{port:10}}");
  await watched.probe();
  expect(watched.told).toEqual(["untrusted"]);
  isTrusted = true;
  await watched.probe();
  expect(watched.told).toEqual(["untrusted", 10]);
});
