import { readFile, writeFile, mkdir, stat } from "node:fs/promises";
import { expect, test, vi } from "vitest";
import type { AddedServers, ImportableFile } from "../../../src/hub/control/settings/edit-servers.ts";
import type { ClientEntry, InstalledClient } from "../../../src/hub/control/settings/edit-clients.ts";
import type { MachineState } from "../../../src/hub/control/settings/machine-state.ts";
import type { RuleList, RuleTrial } from "../../../src/hub/control/settings/edit-rules.ts";
import type { ConfigText } from "../../../src/hub/control/config-text.ts";
import { shelf } from "../../support/cli/test-home.ts";
import { testSource, testTool } from "../../support/test-source.ts";
import { startConsoleHub } from "./console-hub.ts";

// Servers are processes of their own, and the machine may be busy.
vi.setConfig({ testTimeout: 60_000 });

test("a server is added by command, switched off and on, and removed; comments stay", async () => {
  await using hub = await startConsoleHub({ config: "{\n  // mine\n  log: { level: 'warn' }, // loud\n}\n" });
  const browser = await hub.signIn();
  const { command, args } = shelf("one");
  const added = await browser.ask<AddedServers>("servers.add", { command, args, name: "shelf" });
  expect(added).toMatchObject({
    path: hub.path,
    added: ["shelf"],
    servers: [{ name: "shelf", state: "ready", tools: 7 }],
  });
  expect(await browser.ask("servers.enable", { name: "shelf", on: false })).toMatchObject({ state: "disabled" });
  expect(await browser.ask("servers.enable", { name: "shelf", on: true })).toMatchObject({ state: "ready" });
  const text = await readFile(hub.path, "utf8");
  expect(text).toContain("// mine\n  log: { level: 'warn' }, // loud");
  expect(text).toContain("enabled: true");
  await expect(browser.ask("servers.add", { command, args, name: "shelf" })).rejects.toMatchObject({
    code: "conflict",
  });
  expect(await browser.ask("servers.remove", { name: "shelf" })).toEqual({ removed: "shelf", path: hub.path });
  expect(await browser.ask("servers.list")).toEqual([]);
  await expect(browser.ask("servers.remove", { name: "shelf" })).rejects.toMatchObject({ code: "not-found" });
});

test("a pasted block is understood in the shapes that people paste, and what can't be reached is not added", async () => {
  await using hub = await startConsoleHub();
  const browser = await hub.signIn();
  const { command, args } = shelf("one");
  const server = { command, args };
  const add = (json: object, more: object = {}) =>
    browser.ask<AddedServers>("servers.add", { json: JSON.stringify(json), ...more });
  expect(await add({ mcpServers: { one: server } })).toMatchObject({ added: ["one"] });
  expect(await add({ two: { ...server, args: [...args, "two"] } })).toMatchObject({ added: ["two"] });
  expect(await add({ ...server, args: [...args, "three"] }, { name: "three" })).toMatchObject({ added: ["three"] });
  await expect(add({ mcpServers: { again: server } })).rejects.toMatchObject({
    code: "usage",
    message: expect.stringContaining("already configured as one") as string,
  });
  await expect(add({})).rejects.toMatchObject({ code: "usage" });
  await expect(browser.ask("servers.add", { json: "{" })).rejects.toMatchObject({
    message: expect.any(String) as string,
  });
  const before = await readFile(hub.path, "utf8");
  const dead = { command: process.execPath, args: ["-e", "process.exit(3)"], name: "dead" };
  await expect(browser.ask("servers.add", dead)).rejects.toMatchObject({
    message: expect.stringContaining("It was not added") as string,
  });
  expect(await readFile(hub.path, "utf8")).toBe(before);
  expect(await browser.ask<AddedServers>("servers.add", { ...dead, force: true })).toMatchObject({ added: ["dead"] });
  await expect(browser.ask("servers.add", { url: "http://example.com/" })).rejects.toMatchObject({ code: "usage" });
  await expect(browser.ask("servers.add", {})).rejects.toMatchObject({ code: "bad-params" });
});

test("servers of other programs are listed without their secrets, and imported by name", async () => {
  await using hub = await startConsoleHub();
  const browser = await hub.signIn();
  await mkdir(`${hub.folder}/.cursor`);
  const { command, args } = shelf("one");
  const servers = {
    notes: { command, args },
    web: { url: "https://example.com/mcp?key=QUERY-SECRET", headers: { Authorization: "Bearer HEADER-SECRET" } },
  };
  await writeFile(`${hub.folder}/.cursor/mcp.json`, JSON.stringify({ mcpServers: servers }));
  const offered = await browser.ask<readonly ImportableFile[]>("servers.importable");
  expect(offered).toMatchObject([{ client: "cursor", servers: [{ name: "notes" }, { name: "web" }] }]);
  expect(JSON.stringify(offered)).not.toMatch(/SECRET/);
  expect(await browser.ask("servers.import", { names: ["notes"] })).toMatchObject({
    added: ["notes"],
    servers: [{ name: "notes", state: "ready" }],
  });
  await expect(browser.ask("servers.import", { names: ["nothing"] })).rejects.toMatchObject({ code: "not-found" });
});

test("the configuration is written if it is the one that was seen, with its masked secrets as they were", async () => {
  const config = `{
  // token: sk-live-1234567890abcdef1234567890
  servers: {
    a: { url: "https://a.example/mcp?key=QUERY1234", apiKey: "KEY-ONE", enabled: false }, // first
    b: { command: "true", args: ["--token", "ARG-SECRET"], env: { PASS: "ENV-SECRET" }, enabled: false },
  },
}
`;
  await using hub = await startConsoleHub({ config });
  const browser = await hub.signIn();
  const { text = "", hash } = await browser.ask<ConfigText>("configuration.read");
  for (const secret of ["KEY-ONE", "QUERY1234", "ARG-SECRET", "ENV-SECRET", "sk-live"])
    expect(text).not.toContain(secret);
  const edited = text.replace("// first", "// the first").replace("{\n", '{\n  log: { level: "warn" },\n');
  expect(await browser.ask("configuration.validate", { text: edited })).toMatchObject({ ok: true });
  const written = await browser.ask<{ hash: string }>("configuration.write", { text: edited, baseHash: hash });
  expect(await readFile(hub.path, "utf8")).toBe(
    config.replace("// first", "// the first").replace("{\n", '{\n  log: { level: "warn" },\n'),
  );
  expect((await browser.ask<ConfigText>("configuration.read")).hash).toBe(written.hash);
  // Someone else was faster.
  await expect(browser.ask("configuration.write", { text: edited, baseHash: hash })).rejects.toMatchObject({
    code: "conflict",
  });
  // A masked value that was moved can't be known.
  const moved = edited.replace("    a: {", "    c: {");
  await expect(browser.ask("configuration.write", { text: moved, baseHash: written.hash })).rejects.toMatchObject({
    code: "bad-params",
    message: expect.stringContaining("servers.c.") as string,
  });
});

test("a text that can't be used is not written, and every problem is named with its place", async () => {
  await using hub = await startConsoleHub({ config: "{ hub: { maxConcurrent: 8 } }" });
  const browser = await hub.signIn();
  const { hash } = await browser.ask<ConfigText>("configuration.read");
  const bad = '{ hub: { prot: 1 }, log: { level: "loud" } }';
  expect(await browser.ask("configuration.validate", { text: bad })).toMatchObject({
    ok: false,
    problems: [{ path: "hub.prot", line: 1, suggestion: "port" }, { path: "log.level" }],
  });
  expect(await browser.ask("configuration.validate", { text: "{" })).toMatchObject({ ok: false });
  const answer = await browser.post("configuration.write", { text: bad, baseHash: hash });
  expect(JSON.parse(answer.text)).toMatchObject({ error: { code: "config", detail: { problems: [{}, {}] } } });
  expect(await readFile(hub.path, "utf8")).toBe("{ hub: { maxConcurrent: 8 } }");
  const schema = await browser.ask<{ properties: object }>("configuration.schema");
  expect(Object.keys(schema.properties)).toContain("servers");
});

test("of two who save at the same moment, one is told that the file has changed", async () => {
  await using hub = await startConsoleHub();
  const browser = await hub.signIn();
  const { hash } = await browser.ask<ConfigText>("configuration.read");
  const texts = ["debug", "warn", "error"].map((level) => `{ log: { level: "${level}" } }`);
  const answers = await Promise.allSettled(
    texts.map((text) => browser.ask("configuration.write", { text, baseHash: hash })),
  );
  expect(answers.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  expect(texts).toContain(await readFile(hub.path, "utf8"));
});

test("rules are tried on the last calls before they are saved, and judge from then on", async () => {
  const source = testSource({
    id: "files",
    prefix: "files",
    tools: [testTool("read", { annotations: { readOnlyHint: true } }), testTool("write")],
  });
  await using hub = await startConsoleHub({
    sources: [source],
    config:
      '{\n  policy: {\n    rules: [\n      // keep\n      { tool: "other__*", verdict: "deny" },\n    ],\n  },\n}\n',
  });
  const browser = await hub.signIn();
  for (const tool of ["files__read", "files__read", "files__write"])
    await browser.post("call", { tool, arguments: {} });
  const rules = [
    { tool: "other__*", verdict: "deny" },
    { source: "files", annotation: "!readOnly", verdict: "ask" },
  ];
  const trial = await browser.ask<RuleTrial>("rules.dryRun", { rules });
  expect(trial).toMatchObject({ calls: 3, allow: 2, ask: 1, deny: 0, perRule: [0, 1], changed: 1 });
  expect(trial.examples).toMatchObject([{ tool: "files__write", was: "allow", would: "ask", by: "policy.rules[1]" }]);
  const { hash } = await browser.ask<RuleList>("rules.list");
  const denied = [{ tool: "files__write", verdict: "deny", reason: "not today" }];
  const saved = await browser.ask<RuleList>("rules.save", { rules: denied, baseHash: hash });
  expect(saved.rules).toEqual(denied);
  // The list has as many as before, so what stands beside them stays.
  expect(await readFile(hub.path, "utf8")).toContain("// keep");
  const answer = await browser.post("call", { tool: "files__write", arguments: {} });
  expect(answer.text).toContain("not today");
  await expect(browser.ask("rules.save", { rules: [], baseHash: hash })).rejects.toMatchObject({ code: "conflict" });
  await expect(browser.ask("rules.save", { rules: [{ verdict: "maybe" }] })).rejects.toMatchObject({ code: "config" });
  await expect(browser.ask("rules.dryRun", { rules: [{ tol: "x" }] })).rejects.toMatchObject({ code: "config" });
});

test("in a folder with a configuration of its own, servers go there, and rules and switches to the owner's", async () => {
  await using hub = await startConsoleHub({ location: "working-folder", config: "{ log: { level: 'warn' } }" });
  const browser = await hub.signIn();
  const { command, args } = shelf("one");
  const added = await browser.ask<AddedServers>("servers.add", { command, args, name: "shelf" });
  // What the person added is trusted, so it runs.
  expect(added).toMatchObject({ path: hub.path, servers: [{ name: "shelf", state: "ready" }] });
  await browser.ask("rules.save", { rules: [{ tool: "shelf__*", verdict: "deny" }] });
  await browser.ask("machine.set", { enabled: true });
  const own = await readFile(hub.home.file("clawport.json5"), "utf8");
  expect(own).toContain("deny");
  expect(own).toContain("enabled: true");
  expect(await readFile(hub.path, "utf8")).not.toContain("deny");
  expect((await browser.post("call", { tool: "shelf__pid", arguments: {} })).text).toContain("forbids it");
  // A change that someone else made to the folder is not trusted with the next edit.
  const foreign = (await readFile(hub.path, "utf8")).replace("{ log", "{ agents: {}, log");
  await writeFile(hub.path, foreign.replace("shelf: {", "evil: { command: 'sh', args: ['-c', 'exit'] }, shelf: {"));
  const edit = { command, args: [...args, "two"], name: "two", force: true };
  await expect(browser.ask("servers.add", edit)).rejects.toMatchObject({ code: "untrusted" });
});

test("the switches of this computer are saved, and count at once", async () => {
  await using hub = await startConsoleHub();
  const browser = await hub.signIn();
  const read = () => browser.ask<MachineState>("machine.read");
  // The hub serves its clients, whether or not this computer's tools are among what it offers.
  expect(await read()).toMatchObject({
    host: "hub",
    status: "Listening",
    tools: { offered: false, afterRestart: false },
    needsRestart: false,
    endpoint: `${hub.address}/`,
    capabilities: [],
  });
  const running = await browser.ask<MachineState>("machine.set", { enabled: true });
  const both = { offered: true, afterRestart: true };
  expect(running).toMatchObject({ status: "Listening", tools: both, needsRestart: false, tokenPath: hub.tokenPath });
  const { token } = await browser.ask<{ token: string }>("machine.revealToken");
  expect(token).toBe((await readFile(hub.tokenPath, "utf8")).trim());
  expect(JSON.stringify(running)).not.toContain(token);
  const modeOf = ({ capabilities }: MachineState) => capabilities.find(({ name }) => name === "device.info")?.consent;
  expect(modeOf(await browser.ask("machine.consent", { capability: "device.info", mode: "off" }))).toBe("off");
  // It counts at once, without a restart.
  expect((await read()).needsRestart).toBe(false);
  expect((await browser.post("call", { tool: "device.info", arguments: {} })).text).toContain("switched off");
  expect(modeOf(await browser.ask("machine.consent", { capability: "device.info", mode: "default" }))).toBe("always");
  expect(await browser.ask("machine.set", { enabled: false })).toMatchObject({
    status: "Listening",
    tools: { offered: false, afterRestart: false },
    needsRestart: false,
  });
  await expect(browser.ask("machine.set", {})).rejects.toMatchObject({ code: "bad-params" });
  const odd = { capability: "__proto__", mode: "always" };
  await expect(browser.ask("machine.consent", odd)).rejects.toMatchObject({ code: "usage" });
});

test("the switch of a node's MCP server says nothing about a hub, and a hub does not set it", async () => {
  await using hub = await startConsoleHub({ config: "{ machine: { enabled: true, enableMcpServer: false } }" });
  const browser = await hub.signIn();
  const state = { host: "hub", status: "Listening", tools: { offered: true, afterRestart: true }, needsRestart: false };
  expect(await browser.ask("machine.read")).toMatchObject(state);
  await expect(browser.ask("machine.set", { enableMcpServer: true })).rejects.toMatchObject({
    code: "conflict",
    message: expect.stringContaining("`clawport node`") as string,
  });
  await writeFile(hub.path, "{ machine: { enabled: true, enableMcpServer: true } }");
  expect(await browser.ask("machine.read")).toMatchObject(state);
});

test("this computer is introduced to a gateway while the hub runs, and the switch is saved", async () => {
  await using hub = await startConsoleHub();
  const browser = await hub.signIn();
  const gateway = "ws://127.0.0.1:1";
  await expect(browser.ask("machine.pair", { gateway })).rejects.toMatchObject({ code: "unavailable" });
  expect(await readFile(hub.path, "utf8")).toBe("{}");
  await browser.ask("machine.set", { enabled: true });
  await expect(browser.ask("machine.pair", { gateway: "ws://192.0.2.1:1" })).rejects.toMatchObject({ code: "config" });
  const paired = await browser.ask<MachineState>("machine.pair", { gateway, token: "GATEWAY-SECRET" });
  expect(paired.gateway).toMatchObject({ address: "127.0.0.1:1", state: "connecting" });
  expect(paired.settings.enableNodeMode).toBe(true);
  const text = await readFile(hub.path, "utf8");
  expect(text).toContain('gatewayUrl: "ws://127.0.0.1:1"');
  expect(text).not.toContain("GATEWAY-SECRET");
  expect(await browser.ask("machine.pairing")).toMatchObject({
    gateway: "127.0.0.1:1",
    problem: expect.any(String) as string,
  });
});

test("a client is connected with one click: a backup, the entry, and a token of its own", async () => {
  await using hub = await startConsoleHub();
  const browser = await hub.signIn();
  await mkdir(`${hub.folder}/.cursor`);
  const file = `${hub.folder}/.cursor/mcp.json`;
  await writeFile(file, '{ "mcpServers": { "mine": { "url": "https://example.com/mcp" } } }\n');
  const entryOf = async () =>
    (await browser.ask<readonly ClientEntry[]>("clients.list")).find(({ id }) => id === "cursor");
  expect(await entryOf()).toMatchObject({
    state: "not-installed",
    file,
    block: expect.stringContaining("serve") as string,
  });
  const { diff } = await browser.ask<{ diff: readonly { mark: string }[] }>("clients.preview", { id: "cursor" });
  expect(diff.some(({ mark }) => mark === "+")).toBe(true);
  const installed = await browser.ask<InstalledClient>("clients.install", { id: "cursor" });
  expect(installed).toMatchObject({ file, written: true, backup: expect.any(String) as string });
  expect(await readFile(installed.backup!, "utf8")).toContain('"mine"');
  expect(await readFile(file, "utf8")).toContain('"clawport"');
  expect(await entryOf()).toMatchObject({ state: "installed" });
  expect(await browser.ask("tokens.list")).toMatchObject([{ name: "main" }, { name: "cursor" }]);
  expect(await browser.ask<InstalledClient>("clients.uninstall", { id: "cursor" })).toMatchObject({ written: true });
  expect(await entryOf()).toMatchObject({ state: "not-installed" });
  await expect(browser.ask("clients.install", { id: "nothing" })).rejects.toMatchObject({ code: "usage" });
});

test("the agent's state says what takes the orders, and why", async () => {
  await using hub = await startConsoleHub();
  const browser = await hub.signIn(false);
  expect(await browser.ask("agent.read")).toMatchObject({ backend: "commands", why: expect.any(String) as string });
  expect((await stat(hub.path)).isFile()).toBe(true);
});

test("a model that is named takes the orders; its key is in no answer", async () => {
  const env = { CLAWPORT_MODEL: "anthropic/some-model", ANTHROPIC_API_KEY: "MODEL-SECRET" };
  await using hub = await startConsoleHub({ env });
  const browser = await hub.signIn();
  const state = await browser.ask("agent.read");
  expect(state).toMatchObject({ backend: "model", name: "some-model" });
  expect(JSON.stringify(state)).not.toContain("MODEL-SECRET");
});
