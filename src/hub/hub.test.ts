import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { testSource } from "../../tests/support/test-source.ts";
import { until } from "../../tests/support/until.ts";
import { readAudit } from "../catalog/audit/read-audit.ts";
import { loadConfig } from "../core/config/load-config.ts";
import { type Home, openHome } from "../core/files/home.ts";
import { createLiveLog } from "../core/log.ts";
import { hubFiles } from "./state/hub-files.ts";
import { type Hub, openHub } from "../../tests/support/open-hub.ts";

let home: Home;
let hub: Hub | undefined;
let lines: string[] = [];
beforeEach(async () => {
  home = await openHome(await mkdtemp(join(tmpdir(), "hub-")));
  lines = [];
});
afterEach(async () => {
  await hub?.close();
  await rm(home.path, { recursive: true, force: true });
});

async function start(
  text = "{}",
  source = testSource({ id: "notes", tools: ["add"] }),
  host?: string,
): Promise<string> {
  const path = home.file("clawport.json5");
  await writeFile(path, text);
  const loaded = await loadConfig({ path, env: {} });
  const configuration = { config: loaded.config, file: { ...loaded, location: "state-folder" as const } };
  const log = createLiveLog({ level: "info", format: "human", write: (line) => lines.push(line) });
  hub = await openHub({
    home,
    configuration,
    env: {},
    log,
    version: "1.2.3",
    port: 0,
    host,
    allowRemote: true,
    sources: [source],
  });
  return path;
}

type Answer = { isError?: boolean; content: { text: string }[]; tools: { name: string }[] };

const callAdd = () => ask("tools/call", { name: "add", arguments: {} });
const toolNames = async () => (await ask("tools/list", {})).tools.map(({ name }) => name);

async function ask(method: string, params: object): Promise<Answer> {
  const token = (await readFile(hub!.tokenPath, "utf8")).trim();
  const headers = {
    "content-type": "application/json",
    authorization: `Bearer ${token}`,
    accept: "application/json, text/event-stream",
  };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const response = await fetch(hub!.url, { method: "POST", headers, body });
  const answer = (await response.json()) as { result: Answer };
  return answer.result;
}

test("a call goes through the door and the guard to the source, and leaves a line in the audit", async () => {
  await start();
  expect(await callAdd()).toMatchObject({ content: [{ text: "add" }] });
  await hub?.close();
  const audited: unknown[] = [];
  for await (const line of readAudit({ file: hubFiles.audit(home) })) audited.push(line);
  expect(audited).toMatchObject([{ door: "mcp-http", token: "main", tool: "add", outcome: "ok" }]);
});

test("an edited policy is in force without a restart", async () => {
  const path = await start();
  expect((await callAdd()).isError).not.toBe(true);
  await writeFile(path, "{ policy: { rules: [{ tool: 'add', verdict: 'deny' }] } }");
  await until(async () => (await callAdd()).isError === true);
});

test("a rule that allows a tool by its server's own name is reported, at the start and when it is edited", async () => {
  const source = testSource({ id: "notes", prefix: "notes", tools: ["add", "drop"] });
  const path = await start("{ policy: { rules: [{ tool: 'drop', verdict: 'allow' }] } }", source);
  const warned = (pattern: string) =>
    lines.filter((line) => line.includes("matches no full name of a tool") && line.includes(`pattern=${pattern}`));
  await until(() => warned("drop").length === 1);
  await writeFile(
    path,
    "{ policy: { rules: [{ tool: 'a*', verdict: 'allow' }, { tool: 'notes__drop', verdict: 'allow' }, { tool: 'drop', verdict: 'deny' }] } }",
  );
  await until(() => warned('"a*"').length === 1);
  expect(lines.filter((line) => line.includes("matches no full name"))).toHaveLength(2);
});

test("an edited surface counts at once, without a word about a restart", async () => {
  const path = await start();
  expect(await toolNames()).toContain("add");
  await writeFile(path, "{ hub: { surface: 'search' } }");
  await until(async () => (await toolNames())[0] === "search_tools");
  await writeFile(path, "{ hub: { surface: 'search', always: ['a?d'] } }");
  await until(async () => (await toolNames()).includes("add"));
  expect(lines.filter((line) => line.includes("after a restart"))).toEqual([]);
});

test("a bad edit is reported with its line, and what was in force stays", async () => {
  const path = await start("{ policy: { rules: [{ tool: 'add', verdict: 'deny' }] } }");
  await writeFile(path, "{\n  polcy: {},\n}");
  await until(() => lines.some((line) => line.includes("clawport.json5:2:3")));
  expect((await callAdd()).isError).toBe(true);
});

test.each([
  ["hub.port", "hub: { port: 1234 }"],
  ["agent", "agent: { backend: 'commands' }"],
])("an edit of %s needs a restart and says so, and an edited log format counts at once", async (part, edit) => {
  const path = await start();
  await writeFile(path, `{ ${edit}, log: { format: 'json' } }`);
  await until(() => lines.some((line) => line.includes("after a restart")));
  expect(lines.map((line) => line.startsWith("{") && JSON.parse(line))).toContainEqual(
    expect.objectContaining({
      level: "warn",
      message: `changes to ${part} take effect after a restart: press Ctrl-C, then start it again`,
    }),
  );
});

test("a hub that listens everywhere gives an address that its own machine can use, and the names for others", async () => {
  await start("{}", testSource({ tools: ["add"] }), "0.0.0.0");
  expect(hub?.url).toBe(`http://127.0.0.1:${hub?.port}/mcp`);
  expect(hub?.remoteNames).toContain(hostname());
  expect((await callAdd()).isError).not.toBe(true);
});

test("closing the hub closes its sources and gives up the home", async () => {
  let closed = false;
  const close = async () => {
    closed = true;
  };
  await start("{}", testSource({ tools: ["add"], close }));
  await hub?.close();
  expect(closed).toBe(true);
  await start();
  expect(hub?.sources().map(({ id }) => id)).toContain("notes");
});
