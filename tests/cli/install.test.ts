import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { clawport, makePlace, type Place, startHub } from "../support/cli/run-clawport.ts";
import { placeWith, runHere, shelf } from "../support/cli/test-home.ts";
import { openTerminal } from "../support/cli/terminal.ts";

vi.setConfig({ testTimeout: 60_000 });

interface Entry {
  readonly command: string;
  readonly args: string[];
}

const cursorFile = (place: Place): string => join(place.folder, ".cursor", "mcp.json");

/** The entry that was written, as Cursor reads it. */
async function readEntry(place: Place): Promise<Entry> {
  return JSON.parse(await readFile(cursorFile(place), "utf8")).mcpServers.clawport as Entry;
}

/** Starts the entry as a client does, in a folder of the user's and without the variables of this test. */
async function startEntry(place: Place, { command, args }: Entry): Promise<Client & AsyncDisposable> {
  const client = new Client({ name: "cursor", version: "1" }, { capabilities: {} });
  const env = { PATH: place.env["PATH"] ?? "", HOME: place.folder };
  await client.connect(new StdioClientTransport({ command, args, env, cwd: place.folder, stderr: "ignore" }));
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.close() });
}

const textOf = (result: unknown): string | undefined => (result as { content: { text?: string }[] }).content[0]?.text;

test("an installed client uses the running hub with a token of its own, and uninstalling ends that", async () => {
  await using place = await placeWith({ a: shelf("a") });
  await using hub = await startHub(place, "--port", "0");
  expect(hub.ready.port).toBeGreaterThan(0);
  expect(await clawport(place, "install", "cursor", "--yes")).toMatchObject({ exit: 0 });
  const entry = await readEntry(place);
  // A configuration that comes with the folder is not the one the client was connected to.
  await writeFile(join(place.folder, "clawport.json5"), '{ servers: { evil: { command: "false" } } }');
  {
    await using client = await startEntry(place, entry);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(["a__pid", "order_openclaw"]));
    expect(textOf(await client.callTool({ name: "a__pid", arguments: {} }))).toMatch(/^\d+$/);
  }
  const { out } = await clawport(place, "audit", "--json", "--config", join(place.home, "clawport.json5"));
  expect(out).toContain('"token":"cursor"');

  expect(await clawport(place, "uninstall", "cursor", "--yes")).toMatchObject({ exit: 0 });
  expect(JSON.parse(await readFile(cursorFile(place), "utf8"))).toEqual({ mcpServers: {} });
  expect((await clawport(place, "token", "list")).out).not.toContain("cursor");
  const refused = await clawport(place, ...entry.args.slice(1));
  expect(refused).toMatchObject({ exit: 77, out: "" });
  expect(refused.err).toContain("`clawport install cursor`");
});

test("without a hub an installed client gets the configured servers all the same", async () => {
  await using place = await placeWith({ a: shelf("a") });
  await clawport(place, "install", "cursor", "--yes");
  await using client = await startEntry(place, await readEntry(place));
  expect(textOf(await client.callTool({ name: "a__pid", arguments: {} }))).toMatch(/^\d+$/);
});

test("OpenClaw's entry leaves out order_openclaw, so that it can't order itself", async () => {
  await using place = await placeWith({ a: shelf("a") });
  await using hub = await startHub(place, "--port", "0");
  expect(hub.ready.port).toBeGreaterThan(0);
  await clawport(place, "install", "openclaw", "--yes");
  const file = JSON.parse(await readFile(join(place.folder, ".openclaw", "openclaw.json"), "utf8"));
  expect(file.mcp.servers.clawport).toMatchObject({ requestTimeoutMs: 3_600_000 });
  await using client = await startEntry(place, file.mcp.servers.clawport as Entry);
  const names = (await client.listTools()).tools.map(({ name }) => name);
  expect(names).toContain("a__pid");
  expect(names).not.toContain("order_openclaw");
});

test("--dry-run shows the change and leaves no trace, with and without --json", async () => {
  await using place = await makePlace();
  const { out } = await runHere(place, ["install", "codex", "--dry-run"]);
  expect(out).toContain("+ [mcp_servers.clawport]");
  expect(out).toContain("+ tool_timeout_sec = 3600");
  const data = JSON.parse((await runHere(place, ["install", "codex", "--dry-run", "--json"])).out);
  expect(data).toMatchObject({ client: "codex", changed: true, dryRun: true });
  expect(existsSync(place.home)).toBe(false);
  expect(existsSync(join(place.folder, ".codex"))).toBe(false);
});

test("without a terminal nothing is written unless --yes is given; at a terminal the answer decides", async () => {
  await using place = await makePlace();
  for (const more of [[], ["--json"]])
    expect(await runHere(place, ["install", "cursor", ...more])).toMatchObject({ exit: 2 });
  expect(await runHere(place, ["install", "cursor"], openTerminal("n").world)).toMatchObject({ exit: 130 });
  expect(existsSync(cursorFile(place))).toBe(false);
  expect(existsSync(join(place.home, "tokens.json"))).toBe(false);
  expect(await runHere(place, ["install", "cursor"], openTerminal("y").world)).toMatchObject({ exit: 0 });
  expect((await readEntry(place)).args).toContain("cursor");
});

test("a project's scope and unknown clients are refused", async () => {
  await using place = await makePlace();
  expect((await runHere(place, ["install", "claude-code", "--scope", "project"])).exit).toBe(2);
  expect((await runHere(place, ["install", "claude-cod"])).err).toContain("claude-code");
  expect((await runHere(place, ["install"])).err.match(/opencode/g)).toHaveLength(1);
  expect((await runHere(place, ["install", "--help"])).out.match(/opencode/g)).toHaveLength(1);
  expect((await runHere(place, ["install", "claude-code", "--scope", "user", "--dry-run"])).exit).toBe(0);
});

test("clients lists where each one stands, and shows what to paste without the token itself", async () => {
  await using place = await makePlace();
  await runHere(place, ["install", "cursor", "--yes"]);
  const { clients } = JSON.parse((await runHere(place, ["clients", "--json"])).out);
  expect(clients).toHaveLength(9);
  expect(clients).toContainEqual(expect.objectContaining({ name: "cursor", state: "installed" }));
  const { out } = await runHere(place, ["clients", "codex"]);
  for (const part of ["[mcp_servers.clawport]", 'bearer_token_env_var = "CLAWPORT_TOKEN"', "export CLAWPORT_TOKEN="])
    expect(out).toContain(part);
});

test("clients knows a client by its own files, not by folders that are there anyway", async () => {
  await using place = await makePlace();
  const env = { ...place.env, CLAWPORT_HOME: join(place.folder, ".openclaw", "mcp") };
  const statesOf = async () => {
    const { out } = await runHere({ ...place, env }, ["clients", "--json"]);
    const { clients } = JSON.parse(out) as { clients: readonly { name: string; state: string }[] };
    return Object.fromEntries(clients.map(({ name, state }) => [name, state]));
  };
  await mkdir(env.CLAWPORT_HOME, { recursive: true });
  const missing = "no such client here";
  expect(await statesOf()).toMatchObject({ "claude-code": missing, cursor: missing, openclaw: missing });
  for (const folder of [".claude", ".cursor", ".openclaw/agents"])
    await mkdir(join(place.folder, folder), { recursive: true });
  const present = "not installed";
  expect(await statesOf()).toMatchObject({ "claude-code": present, cursor: present, openclaw: present });
});

test("import leaves out the entries that install made: a hub is not a server of itself", async () => {
  await using place = await makePlace();
  for (const client of ["cursor", "codex", "gemini", "openclaw"]) await runHere(place, ["install", client, "--yes"]);
  const { out } = await runHere(place, ["import", "--dry-run"]);
  expect(out.match(/- clawport +is Clawport itself/g)).toHaveLength(4);
  expect(out).toContain("Nothing to add.");
});
