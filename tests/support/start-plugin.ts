import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach } from "vitest";
import { createLiveLog } from "../../src/core/log.ts";
import type { OpenClawConfig } from "../../src/plugin/openclaw-api.ts";
import { openRunningPlugin, type RunningPlugin } from "../../src/plugin/running-plugin.ts";
import { program } from "../setup/programs.ts";

export { openApp } from "../../src/app/app.ts";

const fixture = program("tests/openclaw/fixtures/notes-server.ts");

export const pluginLog = createLiveLog({ level: "error", format: "human", write: () => {} });

/** OpenClaw's state folder, a new one for each test, and what runs in it. */
export let stateDir = "";

let opened: AsyncDisposable[] = [];

beforeEach(async () => {
  stateDir = await mkdtemp(join(tmpdir(), "plugin-"));
  opened = [];
});
afterEach(async () => {
  for (const each of opened.toReversed()) await each[Symbol.asyncDispose]();
  await rm(stateDir, { recursive: true, force: true, maxRetries: 5 });
});

/** Disposes of these after the test, the last one first. */
export function closeAfterTest(...running: AsyncDisposable[]): void {
  opened.push(...running);
}

/** The part of OpenClaw that keeps the configuration. */
export function createOpenClaw(config: OpenClawConfig) {
  const runtime = {
    current: () => config,
    mutateConfigFile: async ({ mutate }: { mutate(draft: OpenClawConfig): void }) => mutate(config),
  };
  return { runtime, config, write: runtime.mutateConfigFile };
}

/** Starts the plugin with a configuration of its own. */
export async function startPlugin(own: Record<string, unknown>, config: OpenClawConfig = {}): Promise<RunningPlugin> {
  config.plugins = { entries: { "mcp-client": { enabled: true, config: { hub: { port: 0 }, ...own } } } };
  const plugin = await openRunningPlugin({
    stateDir,
    configPath: join(stateDir, "openclaw.json"),
    env: process.env,
    homedir: stateDir,
    log: pluginLog,
    link: () => createOpenClaw(config),
  });
  closeAfterTest({ [Symbol.asyncDispose]: () => plugin.close() });
  return plugin;
}

/** The settings of a server that writes down what happens to it. */
export function notesServer(): object {
  return { command: process.execPath, args: [fixture], env: { NOTES_LOG: join(stateDir, "notes.log") } };
}

/** One that also has a resource and a prompt. */
export function booksServer(): object {
  return { ...notesServer(), env: { NOTES_LOG: join(stateDir, "books.log"), NOTES_BOOKS: "1" } };
}

/** A line for each time that it was started. */
export async function notesStarts(): Promise<readonly string[]> {
  const log = await readFile(join(stateDir, "notes.log"), "utf8").catch(() => "");
  return log.split("\n").filter((line) => line.startsWith("start"));
}
