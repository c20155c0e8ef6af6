import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { startAuthorizationServer } from "../../tests/oauth/bench/authorization-server.ts";
import { createVisitor } from "../../tests/oauth/bench/consent.ts";
import { startProtectedServer } from "../../tests/oauth/bench/protected-server.ts";
import { openHome } from "../core/files/home.ts";
import { createLiveLog } from "../core/log.ts";
import { readConfigAt } from "../hub/active-config.ts";
import { type Hub, openHub } from "../hub/hub.ts";
import type { OpenClawConfig } from "./openclaw-api.ts";
import { openRunningPlugin, type RunningPlugin } from "./running-plugin.ts";

// Servers are processes of their own, and the machine may be busy.
vi.setConfig({ testTimeout: 60_000 });

const fixture = join(import.meta.dirname, "..", "..", "tests", "openclaw", "fixtures", "notes-server.ts");
const log = createLiveLog({ level: "error", format: "human", write: () => {} });
const me = { sender: "webchat:me", isAuthorized: true };
let stateDir = "";
let opened: AsyncDisposable[] = [];

beforeEach(async () => {
  stateDir = await mkdtemp(join(tmpdir(), "plugin-"));
  opened = [];
});
afterEach(async () => {
  for (const each of opened.toReversed()) await each[Symbol.asyncDispose]();
  await rm(stateDir, { recursive: true, force: true, maxRetries: 5 });
});

function notes(): object {
  return { command: process.execPath, args: [fixture], env: { NOTES_LOG: join(stateDir, "notes.log") } };
}

async function startHub(servers: object): Promise<Hub> {
  const home = await openHome(join(stateDir, "mcp"));
  const path = home.file("clawport.json5");
  await writeFile(path, JSON.stringify({ servers }));
  const configuration = await readConfigAt({ path, location: "state-folder" }, home, process.env);
  const hub = await openHub({ home, configuration, env: process.env, log, version: "0", port: 0 });
  opened.push(hub);
  await hub.settled(30_000);
  return hub;
}

async function startPlugin(servers: object): Promise<RunningPlugin> {
  const config: OpenClawConfig = {
    plugins: { entries: { "mcp-client": { enabled: true, config: { hub: { port: 0 }, servers } } } },
  };
  const runtime = {
    current: () => config,
    mutateConfigFile: async ({ mutate }: { mutate(draft: OpenClawConfig): void }) => mutate(config),
  };
  const plugin = await openRunningPlugin({
    stateDir,
    configPath: join(stateDir, "openclaw.json"),
    env: process.env,
    homedir: stateDir,
    log,
    link: () => ({ runtime, config }),
  });
  opened.push({ [Symbol.asyncDispose]: () => plugin.close() });
  return plugin;
}

const starts = async () =>
  (await readFile(join(stateDir, "notes.log"), "utf8").catch(() => ""))
    .split("\n")
    .filter((line) => line.startsWith("start"));

test("a hub beside it keeps the servers that both have; when it ends, the plugin takes over", async () => {
  const hub = await startHub({ notes: notes() });
  const plugin = await startPlugin({ notes: notes() });
  expect(await plugin.command("status", me)).toContain(`kept by the hub at ${hub.record.address}`);
  expect(await plugin.command('call notes__read {"name":"a"}', me)).toContain("note a");
  expect(await starts()).toHaveLength(1);
  await hub.close();
  await expect.poll(() => plugin.command("status", me), { timeout: 30_000 }).toContain("kept by OpenClaw's gateway");
  expect(await plugin.command('call notes__read {"name":"b"}', me)).toContain("note b");
  expect(await starts()).toHaveLength(2);
});

test("signing in to a server that the hub keeps goes through the hub", async () => {
  const authority = await startAuthorizationServer();
  const secured = await startProtectedServer(authority);
  opened.push(authority, secured);
  await startHub({ one: { url: secured.url } });
  const plugin = await startPlugin({ one: { url: secured.url } });
  const [address = ""] = /https?:\/\/\S+/.exec(await plugin.command("auth one", me)) ?? [];
  const left = await createVisitor().consent(address);
  expect(await plugin.command(`auth one --code ${left.href}`, me)).toMatch(/signed in/i);
  expect(await plugin.command("auth --list", me)).toMatch(/one[\s\S]*Signed in/);
  expect(await plugin.command("call one__read {}", me)).toContain("read with mcp:read");
});
