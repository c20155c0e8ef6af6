import { execFileSync } from "node:child_process";
import { mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Secret } from "../secrets/secret.ts";
import type { ConfigProblem } from "./config-problem.ts";
import { defaultConfig } from "./find-config.ts";
import { loadConfig } from "./load-config.ts";

const load = (text: string, env: Record<string, string> = {}) => loadConfig({ path: "clawport.json5", text, env });

async function problemsOf(text: string, env: Record<string, string> = {}): Promise<ConfigProblem[]> {
  const error = await load(text, env).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toMatchObject({ code: "config" });
  return (error as { detail: { problems: ConfigProblem[] } }).detail.problems;
}

test("an empty object means the defaults, which are also a constant", async () => {
  const { config, raw, path } = await load("{}");
  expect(config).toEqual(defaultConfig);
  expect({ raw, path }).toEqual({ raw: "{}", path: "clawport.json5" });
});

test("a configuration as people write it is read with its environment and its defaults", async () => {
  const text = `{
    // servers by name
    $schema: "https://example.com/schema.json",
    hub: { port: "$PORT", allowRemote: "\${REMOTE:-false}" },
    servers: {
      tavily: { url: "https://mcp.tavily.com/mcp", apiKey: "$KEY" },
      files: { command: "npx", args: ["-y", "server", "/srv/files"], },
      off: { enabled: false, transport: "stdio", command: "x" },
    },
    policy: { preset: "strict", rules: [{ tool: "a__*", verdict: "allow" }] },
    debug: true,
  }`;
  const { config, raw, envNames } = await load(text, { PORT: "9000", KEY: "k" });
  expect(config.hub).toMatchObject({ port: 9000, allowRemote: false, host: "127.0.0.1" });
  expect(config.servers["tavily"]).toEqual({
    enabled: true,
    url: "https://mcp.tavily.com/mcp",
    transport: "http",
    args: [],
    env: {},
    pidNamespace: "auto",
    sandbox: "state",
    apiKey: "k",
    headers: {},
    tls: {},
    tools: { include: ["*"], exclude: [], rename: {}, describe: {} },
    roots: [],
    connectTimeoutMs: 10_000,
    maxMessageBytes: 67_108_864,
    heartbeatMs: 60_000,
    start: "lazy",
    idleStop: 600_000,
    era: "auto",
    share: true,
    arguments: "pass",
    trusted: false,
    secrets: [expect.any(Secret)],
  });
  expect(config.servers["files"]).toMatchObject({ transport: "stdio", args: ["-y", "server", "/srv/files"] });
  expect(config.log.level).toBe("debug");
  expect(envNames).toEqual(["PORT", "REMOTE", "KEY"]);
  expect(raw).toBe(text);
});

test("every problem is reported at once, with its line, its column and what was probably meant", async () => {
  const text = `{
  hub: { prot: 1, maxConcurrent: "many" },
  mcpServers: {},
  log: { level: "warning" },
  servers: {
    a: { url: "$ONE", apiKey: "$TWO" },
    b: { url: "http://example.com/mcp" },
    "c d": {},
    e: {},
  },
  policy: { rules: [{ tool: "x" }] },
}`;
  const problems = await problemsOf(text);
  expect(
    problems.map(({ line, column, path, message, suggestion }) => [`${line}:${column}`, path, message, suggestion]),
  ).toEqual([
    ["2:10", "hub.prot", "is not a known setting", "port"],
    ["2:19", "hub.maxConcurrent", "must be a whole number, but is a string", undefined],
    ["3:3", "mcpServers", "is not a known setting", "servers"],
    ["4:10", "log.level", 'must be one of "debug", "info", "warn", "error"', "warn"],
    ["6:10", "servers.a.url", "needs the environment variable ONE, which is not set", undefined],
    ["6:23", "servers.a.apiKey", "needs the environment variable TWO, which is not set", undefined],
    [
      "7:10",
      "servers.b.url",
      "must begin with https://; plain http is only for this machine, where a tunnel (ssh -L) can end",
      undefined,
    ],
    ["8:5", 'servers["c d"]', "has a name that does not match ^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$", undefined],
    ["9:5", "servers.e", "needs a `url` or a `command`", undefined],
    ["11:21", "policy.rules[0].verdict", "is missing", undefined],
  ]);
});

test("the message shows each problem in a line and names the command to type next", async () => {
  await expect(load("{\n hub: { prot: 1 } }")).rejects.toThrow(
    /has a problem:\n {2}clawport\.json5:2:9 hub\.prot is not a known setting; did you mean "port"\?\n.*clawport config check/,
  );
});

test.each([
  ["{\n  a: 1\n  b: 2\n}", 3, 3, 'Expected "," or "}", found "b".'],
  ["{ debug: yes }", 1, 10, 'Expected a value (strings must be in quotes), found "yes".'],
  ["{ a: 'x }\n", 1, 6, "This string has no end; close its quotes on the same line."],
  ["", 1, 1, "The file ends too early: a value is missing."],
])("%j is not JSON5, and the place is reported", async (text, line, column, message) => {
  expect(await problemsOf(text)).toEqual([{ path: "", line, column, message }]);
});

test("a key that is given twice is a problem at the second one", async () => {
  expect(await problemsOf("{\n debug: true,\n debug: false }")).toMatchObject([{ path: "debug", line: 3, column: 2 }]);
});

test.each([
  ["[]", "", "must be an object, but is a list"],
  ["{servers: []}", "servers", "must be an object, but is a list"],
  ["{servers: {a: 'x'}}", "servers.a", "must be an object, but is a string"],
  ["{servers: {a: {transport: 'stdio'}}}", "servers.a", "needs a `command`, since its transport is stdio"],
  ["{servers: {a: {url: 'nope'}}}", "servers.a.url", "is not a valid address; write it like https://example.com/mcp"],
  ["{servers: {a: {url: 'ftp://x/'}}}", "servers.a.url", "must begin with https://"],
  ["{audit: {keep: 0}}", "audit.keep", "must be at least 1, but is 0"],
  ["{debug: '${'}", "debug", "has a ${ that does not begin a reference; write ${NAME}, or $$ for a plain $"],
])("%s: %s %s", async (text, path, message) => {
  expect(await problemsOf(text)).toContainEqual({ path, message, line: 1, column: expect.any(Number) as number });
});

test.each([
  ["{apps: {show: true}}", "apps.show", "needs `serve`: only apps that connect to the hub can be shown"],
  [
    "{apps: {allowedOrigins: ['https://a.example', 'https://B.example/']}}",
    "apps.allowedOrigins[1]",
    "is not a valid origin; write it like https://b.example",
  ],
  [
    "{apps: {allowedOrigins: ['b.example']}}",
    "apps.allowedOrigins[0]",
    "is not a valid origin; write it like https://app.example.com",
  ],
  ["{agent: {model: {name: 'llama'}}}", "agent.model.name", expect.stringContaining("or the `url` of a server")],
  ["{agent: {model: {name: 'openai/m', maxCost: 1}}}", "agent.model.maxCost", expect.stringContaining("`prices`")],
  ["{agent: {transcription: {}}}", "agent.transcription", "needs a `command` or a `url`"],
  [
    "{agent: {transcription: {command: ['w', '{file}'], url: 'http://127.0.0.1/v1'}}}",
    "agent.transcription",
    "has a `url` and a `command`; keep one of them",
  ],
  [
    "{agent: {transcription: {command: ['whisper', '-f']}}}",
    "agent.transcription.command",
    "needs {file} in one of its arguments, where the path of the audio goes",
  ],
])("fields that do not go together are reported: %s", async (text, path, message) => {
  expect(await problemsOf(text)).toEqual([{ path, message, line: 1, column: expect.any(Number) as number }]);
});

test("a reference in a command that is not a server's is refused, too", async () => {
  const text = "{agent: {transcription: {command: ['whisper', '{file}', '${keychain:key}']}}}";
  expect((await problemsOf(text))[0]?.message).toContain("could read in `ps`");
});

test.each([
  "{apps: {serve: true, show: true, allowedOrigins: ['http://localhost:3000', 'chrome-extension://abc']}}",
  "{agent: {model: {name: 'google/m', prices: {input: 1, output: 2}, maxCost: 1}}}",
  "{agent: {model: {name: 'llama', url: 'http://127.0.0.1:11434/v1'}}}",
  "{agent: {model: {name: 'claude', provider: 'anthropic'}}}",
  "{agent: {transcription: {command: ['whisper', '--input={file}']}}}",
  "{agent: {transcription: {url: 'http://127.0.0.1/v1'}}}",
])("fields that go together are accepted: %s", async (text) => {
  await expect(load(text)).resolves.toMatchObject({ waiting: [] });
});

test.each([
  ["toolDiscoveryInterval", (ms: number) => `{toolDiscoveryInterval: ${ms}}`],
  ["agent.idleTimeoutMs", (ms: number) => `{agent: {idleTimeoutMs: ${ms}}}`],
  ["agent.taskAfterMs", (ms: number) => `{agent: {taskAfterMs: ${ms}}}`],
  ["agent.transcription.timeoutMs", (ms: number) => `{agent: {transcription: {url: "http://a", timeoutMs: ${ms}}}}`],
  ["servers.a.requestTimeoutMs", (ms: number) => `{servers: {a: {command: "a", requestTimeoutMs: ${ms}}}}`],
])("%s must not be longer than a timer can hold", async (path, text) => {
  await expect(load(text(2_147_483_647))).resolves.toBeDefined();
  expect(await problemsOf(text(2_147_483_648))).toMatchObject([
    { path, message: "must be at most 2147483647, but is 2147483648" },
  ]);
});

test("of a section with a problem nothing else is checked", async () => {
  const text = "{apps: {show: true, port: 'x'}, agent: {backend: 'none', transcription: {}}}";
  expect((await problemsOf(text)).map(({ path }) => path)).toEqual(["apps.port", "agent.backend"]);
});

test.each(["http://localhost:1/", "http://127.0.0.2/x", "http://[::1]:3/", "https://example.com/"])(
  "%s is a fine address",
  async (url) => {
    expect((await load(`{servers:{a:{url:"${url}"}}}`)).config.servers["a"]?.url).toBe(url);
  },
);

test("a file is read from disk, and a missing one is a fault that names --config", async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "clawport-"));
  const path = join(folder.path, "c.json5");
  await expect(loadConfig({ path, env: {} })).rejects.toThrow(/does not exist.*`--config`/);
  await writeFile(path, "{debug:true}");
  expect((await loadConfig({ path, env: {} })).config.debug).toBe(true);
});

test("a folder in place of the file is a fault that names the file in it", async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "clawport-"));
  const { path } = folder;
  const message = `${path} is a folder. Give the file in it: \`--config ${JSON.stringify(join(path, "clawport.json5"))}\`.`;
  await expect(loadConfig({ path, env: {} })).rejects.toMatchObject({ code: "config", message });
});

test("a server whose variable is not set is off, does not affect the rest, and is reported", async () => {
  const text = '{servers:{a:{url:"https://a.example/mcp",apiKey:"$A_KEY"},b:{url:"https://b.example/mcp"}}}';
  const { config, waiting } = await loadConfig({ path: "c.json5", env: {}, text });
  expect([config.servers["a"]?.enabled, config.servers["b"]?.enabled]).toEqual([false, true]);
  expect(waiting).toMatchObject([{ path: "servers.a.apiKey", message: expect.stringContaining("A_KEY") }]);
});

test("no secret from the environment gets into a fault", async () => {
  const text = '{hub:{port:"$KEY"},log:{level:"$KEY"},servers:{a:{url:"$KEY",toolPrefix:"$KEY"}}}';
  await expect(load(text, { KEY: "hunter2/hunter2" })).rejects.not.toThrow(/hunter2/);
});

test("a start without a configuration loads neither schema nor reader", () => {
  const script = `
    import { registerHooks } from "node:module";
    const urls = [];
    registerHooks({ load: (url, context, next) => (urls.push(url), next(url, context)) });
    const names = ["find-config", "load-config", "trust/trust", "watch-config"];
    for (const name of names) await import(new URL(name + ".ts", process.argv[1]));
    console.log(urls.join("\\n"));
  `;
  const args = ["--input-type=module", "-e", script, new URL(".", import.meta.url).href];
  const urls = execFileSync(process.execPath, args, { encoding: "utf8" });
  expect(urls).toContain("load-config.ts");
  expect(urls).not.toMatch(/typebox|json5|schema|parse-config/);
});
