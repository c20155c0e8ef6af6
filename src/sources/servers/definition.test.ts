import { inspect } from "node:util";
import { expect, test } from "vitest";
import { defaultConfig } from "../../core/config/find-config.ts";
import { loadConfig } from "../../core/config/load-config.ts";
import type { ServerConfig } from "../../core/config/server-config.ts";
import { callLimits, type DefinedServers, defineServers, requestLimits } from "./definition.ts";

const load = async (servers: object, env = {}) =>
  (await loadConfig({ path: "clawport.json5", text: JSON.stringify({ servers }), env })).config;

async function define(servers: object, env = {}): Promise<DefinedServers> {
  return defineServers(await load(servers, env));
}

/** A server as it would be after loading, past the checks of loading. */
async function unchecked(change: Partial<ServerConfig>): Promise<DefinedServers> {
  const { url, ...server } = (await load({ a: { url: "https://a.example/mcp" } })).servers["a"]!;
  const address = change.transport === "stdio" ? {} : { url };
  return defineServers({ ...defaultConfig, servers: { a: { ...server, ...address, ...change } as ServerConfig } });
}

async function fingerprint(server: object): Promise<string | undefined> {
  return (await define({ a: server })).definitions[0]?.fingerprint;
}

test("a remote server is defined with its address, its lower-case headers and a key that does not print", async () => {
  const { definitions, problems } = await define(
    { tavily: { url: "https://mcp.tavily.com/mcp?x=1", apiKey: "$KEY", headers: { "X-Team": "blue" } } },
    { KEY: "tvly-hunter2" },
  );
  expect(problems).toEqual([]);
  expect(definitions).toMatchObject([
    {
      name: "tavily",
      prefix: "tavily",
      enabled: true,
      transport: { kind: "http", headers: { "x-team": "blue" }, tls: {} },
      connectTimeoutMs: 10_000,
      requestTimeoutMs: 30_000,
      callTimeoutMs: 600_000,
      maxTotalTimeoutMs: undefined,
      maxMessageBytes: 67_108_864,
      heartbeatMs: 60_000,
      era: "auto",
      share: true,
      trusted: false,
    },
  ]);
  const [{ transport } = { transport: undefined }] = definitions;
  if (transport?.kind !== "http") throw new Error("not http");
  expect(transport.url.href).toBe("https://mcp.tavily.com/mcp?x=1");
  expect(transport.apiKey?.reveal()).toBe("tvly-hunter2");
  expect(inspect(definitions, { depth: 9 }) + JSON.stringify(definitions)).not.toContain("hunter2");
});

test("a command is defined with its arguments, environment and folder", async () => {
  const { definitions } = await define({
    files: { command: "npx", args: ["-y", "server"], env: { A: "1" }, cwd: "/srv", toolPrefix: "fs", enabled: false },
  });
  expect(definitions).toMatchObject([
    {
      name: "files",
      prefix: "fs",
      enabled: false,
      transport: { kind: "stdio", command: "npx", args: ["-y", "server"], env: { A: "1" }, cwd: "/srv" },
    },
  ]);
});

test("only the configured headers are sent, without an Origin", async () => {
  const { definitions } = await define({ a: { url: "https://a.example/" } });
  expect(definitions[0]?.transport).toMatchObject({ headers: {} });
});

test("roots become URIs with the name of their folder", async () => {
  const { definitions } = await define({ a: { command: "x", roots: ["/srv/my files", "https://b.example/docs/"] } });
  expect(definitions[0]?.roots).toEqual([
    { uri: "file:///srv/my%20files", name: "my files" },
    { uri: "https://b.example/docs/", name: "docs" },
  ]);
});

test("the total timeout is never shorter than the request timeout", async () => {
  const { definitions } = await define({ a: { command: "x", requestTimeoutMs: 900_000, maxTotalTimeoutMs: 10 } });
  expect(definitions[0]?.maxTotalTimeoutMs).toBe(900_000);
});

test("a configured request timeout counts for calls and lists, and there is no total timeout unless one is set", async () => {
  const { definitions } = await define({ "a.b": { command: "x", requestTimeoutMs: 45_000 } });
  const [definition] = definitions;
  expect(callLimits(definition!)).toEqual({
    timeoutMs: 45_000,
    maxTotalMs: undefined,
    settings: { timeoutMs: 'servers["a.b"].requestTimeoutMs', maxTotalMs: 'servers["a.b"].maxTotalTimeoutMs' },
  });
  expect(requestLimits(definition!)).toMatchObject({ timeoutMs: 45_000 });
});

test.each([
  [{ url: "http://a.example/mcp" }, /^url must begin with https:\/\/.*only for this machine.*tunnel/],
  [{ url: "http://127.0.0.1.evil.example/" }, /^url must begin with https/],
  [{ url: "http://10.0.0.1/" }, /^url must begin with https/],
  [{ url: "https://me:pw@a.example/" }, /^url contains a user name.*`headers`/],
  [{ headers: { "X-A": "1\r\nX-B: 2" } }, /^headers\.X-A contains a line break/],
  [{ headers: { "X-Ä": "1" } }, /^headers\["X-Ä"\] is not a valid header name/],
  [{ headers: { "X A": "1" } }, /is not a valid header name/],
  [{ headers: { Host: "b.example" } }, /^headers\.Host is set by Clawport itself/],
  [{ headers: { "Mcp-Protocol-Version": "1" } }, /is set by Clawport itself/],
  [{ headers: { "X-A": "1", "x-a": "2" } }, /is given twice/],
  [{ headers: { authorization: "Bearer x" }, apiKey: "y" }, /keep one of them/],
  [{ apiKey: "a\nb" }, /^apiKey contains a line break/],
  [{ tls: { cert: "/c.pem" } }, /^tls needs `cert` and `key` together/],
  [{ roots: ["work"] }, /^roots\[0\] is neither an absolute path nor a URI/],
  [{ tools: { include: [], exclude: [], describe: {}, rename: { a: "c", b: "c" } } }, /^tools\.rename\.b has the name/],
  [{ transport: "stdio" as const }, /^needs a `command`/],
  [{ transport: "stdio" as const, command: "x", env: { "A=B": "1" } }, /^env\["A=B"\] can't be/],
  [{ command: "x" }, /^has a `url` and a `command`/],
])("%j is refused with the reason", async (change, message) => {
  const { definitions, problems } = await unchecked(change);
  expect(definitions).toEqual([]);
  expect(problems).toEqual([{ server: "a", message: expect.stringMatching(message) as string }]);
});

test.each([
  "http://localhost:1/",
  "http://127.9.0.1/x",
  "http://[::1]:3/",
  "http://a.localhost/",
  "https://a.example/",
])("%s may be talked to", async (url) => {
  expect((await unchecked({ url })).problems).toEqual([]);
});

test("one server with a problem does not affect the others", async () => {
  const config = await load({ a: { url: "https://a.example/" }, b: { command: "x" } });
  const bad = { ...config.servers["a"]!, url: "http://a.example/" };
  const { definitions, problems } = defineServers({ ...config, servers: { ...config.servers, bad } });
  expect(definitions.map(({ name }) => name)).toEqual(["a", "b"]);
  expect(problems.map(({ server }) => server)).toEqual(["bad"]);
});

test("a fingerprint is the same whatever the order of keys, the name, and the tools that are offered", async () => {
  const { definitions } = await define({
    a: { command: "x", env: { A: "1", B: "2" } },
    b: { env: { B: "2", A: "1" }, command: "x", toolPrefix: "c", tools: { exclude: ["*"] }, trusted: true },
    c: { url: "https://a.example/", headers: { "X-A": "1", "X-B": "2" } },
    d: { url: "https://A.example", headers: { "x-b": "2", "x-a": "1" }, enabled: false },
  });
  const [a, b, c, d] = definitions.map((definition) => definition.fingerprint);
  expect(a).toBe(b);
  expect(c).toBe(d);
  expect(a).not.toBe(c);
  expect(a).toMatch(/^[\da-f]{64}$/);
});

test("a fingerprint changes with anything that changes the connection", async () => {
  const url = "https://a.example/";
  const prints = await Promise.all(
    [
      { url },
      { url, apiKey: "k" },
      { url, apiKey: "K" },
      { url, headers: { a: "k" } },
      { url, tls: { ca: "/ca.pem" } },
      { url, auth: { clientId: "c" } },
      { url, era: "legacy" },
      { url, requestTimeoutMs: 1 },
      { url, heartbeatMs: 0 },
      { url, roots: ["/a"] },
      { url: `${url}b` },
      { command: "x" },
      { command: "x", args: ["a", "b"] },
      { command: "x", args: ["a,b"] },
      { command: "x", args: ["b", "a"] },
      { command: "x", env: { A: "1" } },
      { command: "x", cwd: "/a" },
    ].map(fingerprint),
  );
  expect(new Set(prints).size).toBe(prints.length);
});

test("a command that may have to download its program first gets time for that", async () => {
  const { definitions } = await define({ a: { command: "npx", args: ["-y", "x"] }, b: { command: "./server" } });
  expect(definitions.map((each) => each.connectTimeoutMs)).toEqual([120_000, 10_000]);
});
