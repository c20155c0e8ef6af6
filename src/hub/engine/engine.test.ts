import { openLocalControl } from "../control/local-control.ts";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { testSource } from "../../../tests/support/test-source.ts";
import { defaultConfig } from "../../core/config/find-config.ts";
import { loadConfig } from "../../core/config/load-config.ts";
import { type Home, openHome } from "../../core/files/home.ts";
import { silentLog } from "../../core/log.ts";
import { configFile, watchedConfigFile } from "./config-source.ts";
import { type EngineOptions, openEngine } from "./engine.ts";

let home: Home;
beforeEach(async () => {
  home = await openHome(await mkdtemp(join(tmpdir(), "engine-")));
});
afterEach(() => rm(home.path, { recursive: true, force: true }));

function optionsOf(more: Partial<EngineOptions>): EngineOptions {
  const configuration = configFile({ home, configuration: { config: defaultConfig }, env: {} });
  return { home, configuration, env: {}, homedir: home.path, log: silentLog, version: "1.2.3", ...more };
}

test("one source and one door make an engine, without the command line", async () => {
  await using engine = await openEngine(
    optionsOf({
      sources: { given: [testSource({ id: "notes", tools: ["add"] })] },
      doors: { http: { port: 0 } },
    }),
  );
  const token = (await readFile(engine.http!.tokenPath, "utf8")).trim();
  const response = await fetch(`${engine.http!.address}/mcp`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      authorization: `Bearer ${token}`,
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
  });
  const { result } = (await response.json()) as { result: { tools: { name: string }[] } };
  expect(result.tools.map(({ name }) => name)).toEqual(["add"]);
  expect(engine.apps).toBeUndefined();
});

test("nothing that was not asked for is opened", async () => {
  await using engine = await openEngine(optionsOf({}));
  expect(engine.http).toBeUndefined();
  expect(engine.apps).toBeUndefined();
  expect(engine.catalog.sources()).toEqual([]);
  expect(engine.metrics).toBeUndefined();
});

test("servers are opened with their first use where the host wants that", async () => {
  await using engine = await openEngine(optionsOf({ sources: { servers: { start: "when-needed" } } }));
  await engine.settled(0);
  const control = await openLocalControl(engine);
  expect(await control.servers.list()).toEqual([]);
});

test("a configuration that is followed is applied without a restart, one that is read once on request", async () => {
  const path = home.file("clawport.json5");
  await writeFile(path, "{}");
  const loaded = await loadConfig({ path, env: {} });
  const file = { ...loaded, location: "state-folder" as const };
  const options = { home, configuration: { config: loaded.config, file }, env: {}, log: silentLog };
  for (const configuration of [watchedConfigFile(options), configFile(options)]) {
    await writeFile(path, "{}");
    const source = testSource({ id: "notes", tools: ["add", "remove"] });
    await using engine = await openEngine(
      optionsOf({ configuration, sources: { given: [source], servers: { start: "by-name" } } }),
    );
    await writeFile(path, '{catalog:{exclude:["remove"]}}');
    await (await openLocalControl(engine)).configuration.reload();
    expect(engine.catalog.tools().map(({ name }) => name)).toEqual(["add"]);
  }
});
