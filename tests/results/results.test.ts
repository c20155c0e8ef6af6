import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { openHome } from "../../src/core/files/home.ts";
import { silentLog } from "../../src/core/log.ts";
import { ensureClientToken } from "../../src/hub/clients/client-token.ts";
import { clawport, mainFile, type Place, type RunningHub, startHub } from "../support/cli/run-clawport.ts";
import { type ConfiguredPlace, placeWith, runHere } from "../support/cli/test-home.ts";
import { until } from "../support/until.ts";
import { program } from "../setup/programs.ts";

vi.setConfig({ testTimeout: 60_000 });

const file = program("tests/results/large-server.ts");
const large = { command: process.execPath, args: [file], pidNamespace: "off" };

interface Block {
  readonly type: string;
  readonly text?: string;
  readonly uri?: string;
  readonly size?: number;
}
interface Result {
  readonly content: readonly Block[];
  readonly structuredContent?: Record<string, unknown>;
  readonly isError?: boolean;
}

let place: ConfiguredPlace;
let hub: RunningHub;
let client: Client;

beforeAll(async () => {
  place = await placeWith({ large });
  hub = await startHub(place, "--port", "0");
  client = await connect(hub.ready.url, await mainToken());
  await until(async () => (await client.listTools()).tools.length > 7);
}, 60_000);

afterAll(async () => {
  await client.close();
  await hub[Symbol.asyncDispose]();
  await place[Symbol.asyncDispose]();
});

const mainToken = async () => (await readFile(hub.ready.tokenPath, "utf8")).trim();

async function connect(url: string, token: string, options = {}): Promise<Client> {
  const made = new Client({ name: "test", version: "1" }, { capabilities: {}, ...options });
  const headers = { authorization: `Bearer ${token}` };
  await made.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  return made;
}

async function call(name: string, args: object = {}, by = client): Promise<Result> {
  return (await by.callTool({ name, arguments: { ...args } })) as unknown as Result;
}

const textOf = ({ content }: Result) => content.flatMap(({ text }) => text ?? []).join("\n");
const lineOf = (number: number) => `line ${number}: ${"lorem ipsum ".repeat(7)}`;

/** The id of a result that was kept. */
async function keep(by = client, tool = "large__log"): Promise<string> {
  const { content } = await call(tool, {}, by);
  const { uri = "" } = content.find(({ type }) => type === "resource_link") ?? {};
  expect(uri).toMatch(/^clawport:\/\/results\/[0-9a-z]+-[0-9a-f]{32}$/);
  return uri.slice("clawport://results/".length);
}

test("5 MB of text arrive as a preview, and any line of it can be read and found", async () => {
  const { tools } = await client.listTools();
  expect(tools.filter(({ name }) => name.endsWith("_result"))).toMatchObject([
    { name: "read_result", annotations: { readOnlyHint: true } },
    { name: "search_result", annotations: { readOnlyHint: true } },
  ]);
  const result = await call("large__log");
  expect(JSON.stringify(result).length).toBeLessThan(12_000);
  const [preview, link] = result.content;
  expect(preview?.text).toContain("in 60000 lines");
  expect(preview?.text).toContain(lineOf(1));
  expect(preview?.text).toContain(lineOf(60_000));
  expect(preview?.text).toContain("bytes left out");
  expect(link).toMatchObject({ type: "resource_link", mimeType: "text/plain" });
  expect(link?.size).toBeGreaterThan(5_000_000);
  const id = link!.uri!.slice("clawport://results/".length);
  expect(preview?.text).toContain(`read_result {"id": "${id}", "fromLine": `);

  for (const number of [1, 77, 30_000, 59_999, 60_000]) {
    const read = await call("read_result", { id, fromLine: number, toLine: number });
    expect(read.content[0]?.text?.trimEnd()).toBe(lineOf(number).trimEnd());
    const found = await call("search_result", { id, query: `LINE ${number}:`, context: 0 });
    expect(found.content[0]?.text).toBe(`${number}: ${lineOf(number)}`);
  }
  const pattern = await call("search_result", { id, pattern: "^line 3000\\d:", context: 1 });
  expect(pattern.content[0]?.text?.match(/^3000\d: /gm)).toHaveLength(10);
  expect(textOf(pattern)).toContain("[10 matches in 60000 lines. Everything was searched.]");
});

test("a result can be read to its end in parts, none of them beyond the limit", async () => {
  const id = await keep();
  let joined = "";
  let uri: string | undefined = `clawport://results/${id}`;
  while (uri !== undefined) {
    const { contents } = await client.readResource({ uri });
    const [part] = contents as { text: string; _meta: Record<string, string> }[];
    expect(Buffer.byteLength(part!.text)).toBeLessThanOrEqual(75_000);
    joined += part!.text;
    uri = part!._meta["clawport/next"];
  }
  expect(joined.split("\n")).toHaveLength(60_000);
  expect(joined.endsWith(lineOf(60_000))).toBe(true);
  const { contents } = await client.readResource({ uri: `clawport://results/${id}?offset=5&length=10` });
  expect(contents[0]).toMatchObject({ text: joined.slice(5, 15) });

  const whole = await call("read_result", { id, length: 10_000_000 });
  expect(Buffer.byteLength(textOf(whole))).toBeLessThanOrEqual(76_000);
  const many = await call("search_result", { id, query: "line", limit: 200, context: 20 });
  expect(Buffer.byteLength(textOf(many))).toBeLessThanOrEqual(76_000);
});

test("a second token can't read it, and a new token of the same name can't either; another session can", async () => {
  const added = async () => JSON.parse((await runHere(place, ["token", "add", "phone", "--json"])).out).token as string;
  const phone = await connect(hub.ready.url, await added());
  const id = await keep(phone);
  const other = await keep();
  expect(textOf(await call("read_result", { id }, phone))).toContain("line 1: ");
  for (const tool of ["read_result", "search_result"]) {
    const refused = await call(tool, { id, ...(tool === "search_result" && { query: "line" }) });
    expect(refused).toMatchObject({ isError: true });
    expect(textOf(refused)).toContain(`There is no result ${id} here for you.`);
  }
  await expect(client.readResource({ uri: `clawport://results/${id}` })).rejects.toThrow("There is no result");
  expect(textOf(await call("read_result", { id: other }, phone))).toContain("There is no result");

  const again = await connect(hub.ready.url, await mainToken());
  expect(textOf(await call("read_result", { id: other }, again))).toContain("line 1: ");
  await again.close();
  await phone.close();

  await runHere(place, ["token", "remove", "phone"]);
  const successor = await connect(hub.ready.url, await added());
  expect(textOf(await call("read_result", { id }, successor))).toContain("There is no result");
  await successor.close();
  await runHere(place, ["token", "remove", "phone"]);
});

test("errors stay errors, blocks without text stay, and several texts are one under their names", async () => {
  const failed = await call("large__fail");
  expect(failed).toMatchObject({ isError: true });
  expect(failed.content[0]?.text).toContain("60000 lines");
  expect(await call("large__small")).toEqual({ content: [{ type: "text", text: "small" }] });
  const parts = await call("large__parts");
  expect(parts.content.map(({ type }) => type)).toEqual(["text", "resource_link", "image"]);
  const id = parts.content[1]!.uri!.split("/").at(-1);
  const found = await call("search_result", { id, query: "--- part", context: 0 });
  expect(found.content[0]?.text).toBe(
    "1: --- part 1 of 2: text ---\n--\n3002: --- part 2 of 2: file:///second.txt ---",
  );
});

test("structured content stays valid for a client that checks it", async () => {
  // The client of the SDK checks results against the schemas that it has listed.
  await client.listTools();
  const wrapped = await call("large__wrapped");
  expect(String(wrapped.structuredContent?.["result"]).length).toBeLessThan(2500);
  expect(wrapped.structuredContent?.["result"]).toContain("left out; the whole is at clawport://results/");
  expect(JSON.stringify(wrapped).length).toBeLessThan(15_000);
  const id = wrapped.content[1]!.uri!.split("/").at(-1);
  expect(textOf(await call("read_result", { id, fromLine: 60_000 }))).toContain(lineOf(60_000));

  // A shorter list would be wrong, so it stays whole where its schema is declared …
  const rows = await call("large__rows");
  expect(rows.structuredContent?.["rows"]).toHaveLength(20_000);
  expect(rows.content[0]?.text?.length).toBeLessThan(12_000);
  // … and goes where none is.
  const loose = await call("large__loose");
  expect(loose.structuredContent).toBeUndefined();
  expect(loose.content.map(({ type }) => type)).toEqual(["text", "text", "resource_link"]);
  expect(loose.content[0]?.text).toBe("20,000 rows");
});

test("a server's own address, a command and a client of an older protocol get no link; the first two get it whole", async () => {
  const own = await connect(`${hub.ready.url}/large`, await mainToken());
  expect((await own.listTools()).tools.map(({ name }) => name)).not.toContain("read_result");
  expect(textOf(await call("log", {}, own)).length).toBeGreaterThan(5_000_000);
  await own.close();
  expect((await runHere(place, ["call", "large__log"])).out.length).toBeGreaterThan(5_000_000);

  const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "large__log", arguments: {} } };
  const headers = {
    authorization: `Bearer ${await mainToken()}`,
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": "2025-03-26",
  };
  const response = await fetch(hub.ready.url, { method: "POST", headers, body: JSON.stringify(body) });
  const { result } = (await response.json()) as { result: Result };
  expect(result.content.map(({ type }) => type)).toEqual(["text"]);
  expect(result.content[0]?.text).toContain("clawport://results/");
});

test("through a relay and in a hub that was started again it is the same result", async () => {
  const stdio = await serveStdio(place);
  const id = await keep(stdio);
  expect(textOf(await call("read_result", { id, fromLine: 5, toLine: 5 }, stdio))).toContain(lineOf(5));
  const { contents } = await stdio.readResource({ uri: `clawport://results/${id}?offset=0&length=7` });
  expect(contents[0]).toMatchObject({ text: "line 1:" });
  // The owner's own token is another caller than a pipe.
  expect(textOf(await call("read_result", { id }))).toContain("There is no result");
  // A token can have the name by which the guard knows pipes.
  const { token } = JSON.parse((await runHere(place, ["token", "add", "stdio", "--json"])).out) as { token: string };
  const namesake = await connect(hub.ready.url, token);
  const theirs = await keep(namesake);
  expect(textOf(await call("read_result", { id: theirs }, stdio))).toContain("There is no result");
  expect(textOf(await call("read_result", { id }, namesake))).toContain("There is no result");
  await namesake.close();
  await runHere(place, ["token", "remove", "stdio"]);
  await stdio.close();
  const mine = await keep();
  await client.close();
  hub.child.kill("SIGKILL");
  await hub.ended;
  hub = await startHub(place, "--port", "0");
  client = await connect(hub.ready.url, await mainToken());
  expect(textOf(await call("read_result", { id: mine, fromLine: 9, toLine: 9 }))).toContain(lineOf(9));
});

async function serveStdio(at: Place, ...more: string[]): Promise<Client> {
  const made = new Client({ name: "test", version: "1" }, { capabilities: {} });
  const env = at.env as Record<string, string>;
  const args = [mainFile, "serve", "--stdio", "--wait", "20", ...more];
  await made.connect(
    new StdioClientTransport({ command: process.execPath, args, env, cwd: at.folder, stderr: "ignore" }),
  );
  return made;
}

test("without a hub, `serve` keeps results too; after their time they are gone, and the answer says so", async () => {
  await using alone = await placeWith({});
  const configure = (results: object) =>
    writeFile(join(alone.home, "clawport.json5"), JSON.stringify({ servers: { large }, results }));
  await configure({ maxTokens: 1000, keep: 1000 });
  const served = await serveStdio(alone);
  const id = await keep(served);
  await until(async () => textOf(await call("read_result", { id }, served)).includes("is gone"));
  const gone = await call("read_result", { id }, served);
  expect(gone).toMatchObject({ isError: true });
  expect(textOf(gone)).toBe(
    `The result ${id} is gone: results are kept for 1 s. Call the tool again to get a new one.`,
  );
  await expect(served.readResource({ uri: `clawport://results/${id}` })).rejects.toThrow("is gone");
  await until(async () => (await readdir(join(alone.home, "kept-results"))).length === 0);
  await served.close();

  await configure({ maxTokens: "off" });
  const whole = await serveStdio(alone);
  expect((await whole.listTools()).tools.map(({ name }) => name)).not.toContain("read_result");
  expect(textOf(await call("large__log", {}, whole)).length).toBeGreaterThan(5_000_000);
  await whole.close();
});

test("without a hub, an installed client is the caller that it is at the hub: for its results, rules and the audit", async () => {
  await using alone = await placeWith({ large });
  const home = await openHome(alone.home);
  for (const name of ["cursor", "codex"]) await ensureClientToken({ home, log: silentLog }, name);
  const policy = { rules: [{ token: "codex", tool: "large__small", verdict: "deny" }] };
  await writeFile(join(alone.home, "clawport.json5"), JSON.stringify({ servers: { large }, policy }));
  const [cursor, codex] = [await serveStdio(alone, "--as", "cursor"), await serveStdio(alone, "--as", "codex")];
  const unnamed = await serveStdio(alone);
  const id = await keep(cursor);
  expect(textOf(await call("read_result", { id, length: 10 }, cursor))).toContain("Bytes 0 to 10");
  for (const other of [codex, unnamed]) {
    expect(textOf(await call("read_result", { id }, other))).toContain("There is no result");
    await expect(other.readResource({ uri: `clawport://results/${id}` })).rejects.toThrow("There is no result");
  }
  expect(textOf(await call("large__small", {}, codex))).toContain("was denied");
  const again = await serveStdio(alone, "--as", "cursor");
  expect(textOf(await call("read_result", { id, length: 10 }, again))).toContain("Bytes 0 to 10");
  await Promise.all([cursor, codex, unnamed, again].map((each) => each.close()));
  expect((await clawport(alone, "audit")).out).toMatch(/^\S+ .*\bcursor\b/m);

  await using _hub = await startHub(alone, "--port", "0");
  const relayed = await serveStdio(alone, "--as", "cursor");
  expect(textOf(await call("read_result", { id, length: 10 }, relayed))).toContain("Bytes 0 to 10");
  await relayed.close();
});
