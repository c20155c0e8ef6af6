import { readFile, writeFile } from "node:fs/promises";
import { expect, test, vi } from "vitest";
import type { CallDetail, FoundCall } from "../../../src/hub/control/queries/search-audit.ts";
import type { ToolPage } from "../../../src/hub/control/queries/search-tools.ts";
import type { ConfigText } from "../../../src/hub/control/config-text.ts";
import type { MachineState } from "../../../src/hub/control/settings/machine-state.ts";
import type { RuleList, RuleTrial } from "../../../src/hub/control/settings/edit-rules.ts";
import type { Place } from "../../support/cli/run-clawport.ts";
import { placeWith, runHere, shelf } from "../../support/cli/test-home.ts";
import { testSource } from "../../support/test-source.ts";
import { startConsoleHub } from "./console-hub.ts";

// What the page can do, a command can do with `--json`.
vi.setConfig({ testTimeout: 60_000 });

function placeOf(hub: { readonly folder: string; readonly home: { readonly path: string } }): Place {
  const env = { HOME: hub.folder, CLAWPORT_HOME: hub.home.path, OPENCLAW_GATEWAY_PORT: "1", PATH: process.env["PATH"] };
  return { folder: hub.folder, home: hub.home.path, env, [Symbol.asyncDispose]: () => Promise.resolve() };
}

async function json<T>(place: Place, ...argv: string[]): Promise<T> {
  const answer = await runHere(place, [...argv, "--json"]);
  expect(answer).toMatchObject({ exit: 0 });
  return JSON.parse(answer.out) as T;
}

test("status shows what needs you, the calls per minute and the agent", async () => {
  await using hub = await startConsoleHub({ config: '{ servers: { off: { command: "no-such-command-here" } } }' });
  const place = placeOf(hub);
  const status = await json<{ attention: object[]; series: object[]; agent: object }>(place, "status");
  expect(status.series).toHaveLength(60);
  expect(status.agent).toMatchObject({ backend: "commands" });
  expect(Array.isArray(status.attention)).toBe(true);
});

test("tools are searched, and calls found by caller, outcome and text, and shown step by step", async () => {
  await using hub = await startConsoleHub({ sources: [testSource({ id: "notes", tools: ["add", "remove"] })] });
  const place = placeOf(hub);
  const browser = await hub.signIn();
  expect(await json<ToolPage>(place, "tools", "--search", "remo")).toMatchObject({
    total: 1,
    tools: [{ name: "remove" }],
  });
  const closest = (await runHere(place, ["tools", "--search", "delete everything"])).out;
  expect(closest).toMatch(/^No tool has all of these words\. These come closest:\n/);
  expect(closest).toContain("remove");
  expect(await json<ToolPage>(place, "tools", "--search", "delete everything")).toMatchObject({ isClosest: true });
  const { out } = await runHere(place, ["tools", "--search", "xyzzy"]);
  expect(out).toMatch(/^No tool matches\. Use other words, or run `\S+ tools` to list all tools\.$/m);
  await browser.post("call", { tool: "add", arguments: {} });
  const line = await json<FoundCall>(place, "audit", "--caller", "console", "--outcome", "ok", "--text", "notes");
  expect(line).toMatchObject({ tool: "add", door: "console" });
  expect(await json<CallDetail>(place, "audit", "show", line.id)).toMatchObject({ line: { tool: "add" } });
  expect(await json<FoundCall>(place, "audit")).toEqual(line);
  expect((await runHere(place, ["audit"])).out).toContain(line.id);
  expect((await runHere(place, ["audit", "--outcome", "denied"])).out).toContain("None of the 1 calls");
  expect((await runHere(place, ["audit", "--outcome", "ok", "--follow"])).exit).toBe(2);
  expect((await runHere(place, ["audit", "show", "1-1"])).exit).toBe(3);
  const { exit, err } = await runHere(place, ["audit", "show", "add"]);
  expect([exit, err]).toEqual([2, expect.stringContaining("`clawport audit` prints the ids.")]);
});

test("rules are tried and saved, with a hub and without one", async () => {
  await using hub = await startConsoleHub({ sources: [testSource({ id: "notes", tools: ["add"] })] });
  const place = placeOf(hub);
  const browser = await hub.signIn();
  await browser.post("call", { tool: "add", arguments: {} });
  await writeFile(`${hub.folder}/rules.json`, '[{ "tool": "add", "verdict": "deny" }]');
  expect(await json<RuleTrial>(place, "config", "rules", "--try", "rules.json")).toMatchObject({ calls: 1, deny: 1 });
  const saved = await json<RuleList>(place, "config", "rules", "--save", "rules.json");
  expect(saved.rules).toEqual([{ tool: "add", verdict: "deny" }]);
  // The hub applies it.
  expect((await browser.post("call", { tool: "add", arguments: {} })).text).toContain("forbids it");
  expect((await runHere(place, ["config", "rules", "--save", "rules.json", "--base", "old"])).exit).toBe(1);

  await using alone = await placeWith({});
  await writeFile(`${alone.folder}/rules.json`, "{ rules: [{ verdict: 'ask' }] }");
  expect((await json<RuleList>(alone, "config", "rules", "--save", "rules.json")).rules).toEqual([{ verdict: "ask" }]);
  expect((await json<RuleList>(alone, "config", "rules")).rules).toEqual([{ verdict: "ask" }]);
});

test("the configuration is shown masked and written whole, and the hub applies it", async () => {
  const config =
    '{\n  // mine\n  servers: { a: { url: "https://a.example/mcp", apiKey: "KEY-ONE", enabled: false } },\n}\n';
  await using hub = await startConsoleHub({ config });
  const place = placeOf(hub);
  const shown = await json<ConfigText>(place, "config", "show");
  expect(shown.text).not.toContain("KEY-ONE");
  await writeFile(`${hub.folder}/new.json5`, shown.text!.replace("// mine", "// ours"));
  await json(place, "config", "write", "new.json5", "--base", shown.hash);
  expect(await readFile(hub.path, "utf8")).toBe(config.replace("// mine", "// ours"));
  expect((await runHere(place, ["config", "write", "new.json5", "--base", shown.hash])).exit).toBe(1);
  expect((await runHere(place, ["config", "write", "nowhere"])).exit).toBe(2);
});

test("a server is switched off and on, and the switches of this computer are set", async () => {
  await using hub = await startConsoleHub({ config: JSON.stringify({ servers: { shelf: shelf("one") } }) });
  const place = placeOf(hub);
  expect(await json(place, "disconnect", "shelf", "--disable")).toMatchObject({ server: { state: "disabled" } });
  expect(await json(place, "connect", "shelf", "--enable")).toMatchObject({ server: { state: "ready" } });
  expect((await runHere(place, ["connect", "other", "--enable"])).exit).toBe(3);
  const set = await json<MachineState>(place, "node", "settings", "--offer", "on", "--gateway", "off");
  expect(set).toMatchObject({ settings: { enabled: true, enableNodeMode: false }, needsRestart: false });
  await json(place, "node", "consent", "clipboard.read", "off");
  expect(await readFile(hub.path, "utf8")).toContain('"clipboard.read": "off"');
  await json(place, "node", "consent", "clipboard.read", "default");
  expect(await readFile(hub.path, "utf8")).not.toContain("clipboard");
  expect((await runHere(place, ["node", "consent", "clipboard.read", "perhaps"])).exit).toBe(2);
});
