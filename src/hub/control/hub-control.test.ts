import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { shelf } from "../../../tests/support/cli/test-home.ts";
import { testSource } from "../../../tests/support/test-source.ts";
import { loadConfig } from "../../core/config/load-config.ts";
import { openHome } from "../../core/files/home.ts";
import { silentLog } from "../../core/log.ts";
import { configFile } from "../engine/config-source.ts";
import { type Engine, openEngine } from "../engine/engine.ts";
import { answerControl } from "./answer-control.ts";
import { createControlApi } from "./control-api.ts";
import { openHubContext, openLocalControl } from "./local-control.ts";
import { type ControlSubject, testHubControl } from "./hub-control.contract.ts";
import { hubKeyPath, readHubKey } from "../../doors/mcp/hub-keys.ts";
import { createRemoteControl } from "./remote-control.ts";

// Servers are processes of their own, and the machine may be busy.
vi.setConfig({ testTimeout: 30_000 });

interface OpenedEngine extends AsyncDisposable {
  readonly engine: Engine;
  readonly configPath: string;
}

async function open(): Promise<OpenedEngine> {
  const home = await openHome(await mkdtemp(join(tmpdir(), "control-")));
  const path = home.file("clawport.json5");
  await writeFile(path, JSON.stringify({ servers: { shelf: shelf("one") } }));
  const env = { PATH: process.env["PATH"], OPENCLAW_GATEWAY_PORT: "1" };
  const loaded = await loadConfig({ path, env });
  const file = { ...loaded, location: "state-folder" as const };
  const engine = await openEngine({
    home,
    configuration: configFile({ home, configuration: { config: loaded.config, file }, env }),
    env,
    homedir: home.path,
    log: silentLog,
    version: "1.2.3",
    sources: { given: [testSource({ id: "notes", tools: ["add"] })], servers: { start: "by-name" } },
    doors: { http: { port: 0, control: answerControl } },
  });
  return {
    engine,
    configPath: path,
    async [Symbol.asyncDispose]() {
      await engine.close();
      await rm(home.path, { recursive: true, force: true });
    },
  };
}

async function openLocal(): Promise<ControlSubject> {
  const opened = await open();
  return { ...opened, control: await openLocalControl(opened.engine) };
}

async function openRemote(): Promise<ControlSubject> {
  const opened = await open();
  const { engine } = opened;
  const { address, socket = "" } = engine.http!;
  const key = readHubKey(hubKeyPath(engine, "control"))!;
  const control = createRemoteControl({
    address,
    name: "the hub",
    socket: { path: socket, home: engine.home.path },
    key,
  });
  return {
    ...opened,
    control,
    async [Symbol.asyncDispose]() {
      control.close();
      await opened[Symbol.asyncDispose]();
    },
  };
}

describe("the control of an engine in this process", () => {
  testHubControl(openLocal);
});

describe("the control of an engine over its socket", () => {
  testHubControl(openRemote);
});

test("what needs a person works in this process, and is refused over the socket", async () => {
  await using local = await openLocal();
  const { configuration, rules, machine, servers } = local.control;
  const { hash } = await configuration.read();
  await configuration.write({ text: "{ log: { level: 'warn' } }", baseHash: hash });
  expect((await rules.save({ rules: [{ verdict: "ask" }] })).rules).toEqual([{ verdict: "ask" }]);
  expect(await machine.set({ enabled: true })).toMatchObject({ settings: { enabled: true }, needsRestart: false });
  expect(await readFile(local.configPath, "utf8")).toContain("log: { level: 'warn' }");
  await expect(configuration.write({ text: "{}", baseHash: hash })).rejects.toMatchObject({ code: "conflict" });
  await expect(servers.remove({ name: "other" })).rejects.toMatchObject({ code: "not-found" });
  await using remote = await openRemote();
  const { control } = remote;
  const refused = { code: "denied", message: expect.stringContaining("clawport console") as string };
  await expect(control.configuration.write({ text: "{}", baseHash: hash })).rejects.toMatchObject(refused);
  await expect(control.rules.save({ rules: [] })).rejects.toMatchObject(refused);
  await expect(control.machine.set({ enabled: true })).rejects.toMatchObject(refused);
  await expect(control.machine.revealToken()).rejects.toMatchObject(refused);
  await expect(control.servers.add({ command: "sh" })).rejects.toMatchObject(refused);
  await expect(control.clients.install({ id: "cursor" })).rejects.toMatchObject(refused);
});

test.each([
  ["servers.connect", {}, "bad-params", '"name" is missing.'],
  ["servers.connect", { name: 1 }, "bad-params", '"name" must be a string, but is 1.'],
  ["tools.list", { source: null }, "bad-params", '"source" must be a string, but is null.'],
  [
    "signIns.finish",
    { server: "shelf", query: "", pasted: "yes" },
    "bad-params",
    '"pasted" must be true or false, but is a string.',
  ],
  ["audit.read", { limit: -1 }, "bad-params", '"limit" must be at least 0, but is -1.'],
  ["conversations.list", { from: "files" }, "bad-params", '"from" must be one of "model", "openclaw".'],
  ["status.read", [], "bad-params", "The request body must be a JSON object."],
  ["servers.start", {}, "not-found", 'There is no control verb "servers.start".'],
  ["tools.call", {}, "not-found", 'There is no control verb "tools.call".'],
  ["configuration.write", { text: "{}" }, "denied", expect.stringContaining("A key is not enough") as string],
  ["servers.add", { command: "sh" }, "denied", expect.stringContaining("A key is not enough") as string],
  ["machine.revealToken", {}, "denied", expect.stringContaining("A key is not enough") as string],
  ["rules.dryRun", { rules: {} }, "bad-params", '"rules" must be a list, but is an object.'],
  ["constructor.name", {}, "not-found", 'There is no control verb "constructor.name".'],
])("%s with %j is refused", async (verb, body, code, message) => {
  await using opened = await open();
  const api = createControlApi(await openHubContext(opened.engine));
  await expect(api(verb, body, "control")).rejects.toMatchObject({ code, message });
});
