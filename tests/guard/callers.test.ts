import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { AuditLine } from "../../src/catalog/audit/audit-line.ts";
import { type StartedServer, startMcpServer, textOf } from "../support/start-mcp-server.ts";
import { createProxyClient, echoTool } from "../support/apps/proxy-client.ts";
import { openApp } from "../support/apps/test-app.ts";
import { mainFile } from "../support/cli/run-clawport.ts";
import { runHere } from "../support/cli/test-home.ts";
import { type MockModel, startMockModel } from "../support/mock-model.ts";
import { type FakeGateway, startFakeGateway } from "../support/fake-gateway.ts";
import { until } from "../support/until.ts";
import { readAuditOf, type StartedHub, startHub } from "../support/start-hub.ts";
import { program } from "../setup/programs.ts";

/** Whoever asked stays the caller of everything done for them: every caller, by every way that leads to a tool. */

type Backend = "commands" | "model";
const backends: readonly Backend[] = ["commands", "model"];

const doors = ["mcp-http", "mcp-stdio", "cli", "console", "server"];
const tokens = ["main", "laptop", "phone", "stdio"];
const policy = {
  rules: [
    ...doors.map((door) => ({ tool: "files__by_door", door, verdict: "deny", reason: `door ${door}` })),
    ...tokens.map((token) => ({ tool: "files__by_token", token, verdict: "deny", reason: `token ${token}` })),
    { tool: "files__by_agent", agent: "clawport", verdict: "deny", reason: "agent clawport" },
    { tool: "sampling__files", token: "laptop", verdict: "deny", reason: "token laptop" },
    { tool: "sampling__files", verdict: "allow" },
    { tool: "locked", door: "app-proxy", verdict: "deny", reason: "door app-proxy" },
    { tool: "app__locked", token: "laptop", verdict: "deny", reason: "token laptop" },
  ],
  limits: [
    { tool: "files__once", calls: 1, seconds: 3600 },
    { tool: "sampling__files", token: "main", calls: 2, seconds: 3600 },
  ],
};

const appsEnv = { OPENCLAW_PROXY_APP_TOKEN: "the-token-of-the-apps" };
const servers = { files: { command: process.execPath, args: [program("tests/guard/files-server.ts")] } };

let model: MockModel;
let gateway: FakeGateway;
let hubs: Record<Backend, StartedHub>;
let gatewayHub: StartedHub;
let pipes: Record<Backend, StartedServer>;
let relay: Client;

const configOf = (backend: Backend | "gateway") => ({
  servers,
  policy,
  hub: { scripts: "on" },
  ...(backend === "commands" && { apps: { serve: true, show: true, port: 0 } }),
  agent: { backend, ...(backend === "gateway" ? {} : { model: { name: "mock-1", url: model.baseUrl } }) },
});

beforeAll(async () => {
  [model, gateway] = await Promise.all([startMockModel(), startFakeGateway()]);
  const [commandsHub, modelHub, orders, commandsPipe, modelPipe] = await Promise.all([
    startHub({ config: configOf("commands"), env: appsEnv }),
    startHub({ config: configOf("model") }),
    startHub({ config: configOf("gateway"), env: { OPENCLAW_GATEWAY_URL: gateway.url } }),
    startMcpServer({ config: configOf("commands") }),
    startMcpServer({ config: configOf("model") }),
  ]);
  hubs = { commands: commandsHub, model: modelHub };
  gatewayHub = orders;
  pipes = { commands: commandsPipe, model: modelPipe };
  for (const hub of [commandsHub, modelHub, orders]) await hub.token("phone", "agent");
  relay = new Client({ name: "test-client", version: "1" });
  const args = [mainFile, "serve", "--stdio", "--home", commandsHub.home.path];
  await relay.connect(new StdioClientTransport({ command: process.execPath, args, cwd: commandsHub.home.path }));
}, 30_000);

afterAll(async () => {
  await relay.close();
  for (const each of [...Object.values(pipes), ...Object.values(hubs), gatewayHub, gateway, model])
    await each[Symbol.asyncDispose]();
});

interface Way {
  readonly name: string;
  /** What rules and the audit see. */
  readonly caller: Partial<AuditLine>;
  /** Whether the tools are in the caller's view; true unless given. */
  readonly reaches?: boolean;
  /** Whether the call is one of a script that the caller sent. */
  readonly isScript?: boolean;
  call(tool: string): Promise<string>;
  audit(tool: string): Promise<readonly AuditLine[]>;
}

function orderFor(backend: Backend, tool: string): string {
  return backend === "commands" ? `/call files__${tool} {}` : `call:files__${tool} {}`;
}

function httpWays(token: string): Way[] {
  const caller = { door: "mcp-http", token };
  const reaches = token !== "phone";
  const direct: Way = {
    name: `HTTP, ${token}`,
    caller,
    reaches,
    call: (tool) => hubs.commands.call(token, `files__${tool}`, {}),
    audit: (tool) => hubs.commands.audit(tool),
  };
  const script: Way = {
    ...direct,
    name: `a script, ${token}`,
    isScript: true,
    call: (tool) => hubs.commands.call(token, "run_script", { code: `return tools.files.${tool}()` }),
  };
  const orders = backends.map((backend): Way => ({
    name: `an order to the ${backend} backend, ${token}`,
    caller: { ...caller, agent: "clawport" },
    reaches,
    call: (tool) => hubs[backend].order(token, orderFor(backend, tool)),
    audit: (tool) => hubs[backend].audit(tool),
  }));
  return [direct, script, ...orders];
}

const stdioWays: readonly Way[] = [
  {
    name: "a relay to the hub, stdio",
    caller: { door: "mcp-stdio", token: "stdio", client: "test-client" },
    call: async (tool) => textOf((await relay.callTool({ name: `files__${tool}`, arguments: {} })) as CallToolResult),
    audit: (tool) => hubs.commands.audit(tool),
  },
  ...backends.map((backend): Way => ({
    name: `an order to the ${backend} backend, stdio`,
    caller: { door: "mcp-stdio", client: "test-client", agent: "clawport" },
    call: async (tool) => textOf(await pipes[backend].order({ message: orderFor(backend, tool) })),
    audit: (tool) => readAuditOf(join(pipes[backend].home, "audit", "calls.jsonl"), tool),
  })),
];

async function clawport(home: string, ...argv: string[]): Promise<string> {
  const env = { PATH: process.env["PATH"], HOME: home, CLAWPORT_HOME: home, OPENCLAW_GATEWAY_PORT: "1" };
  const { out, err } = await runHere({ folder: home, home, env, [Symbol.asyncDispose]: () => Promise.resolve() }, argv);
  return `${out}${err}`;
}

const cliWays: readonly Way[] = [
  {
    name: "clawport run",
    caller: { door: "cli", client: "clawport call" },
    isScript: true,
    async call(tool) {
      const { path } = hubs.commands.home;
      await writeFile(join(path, `${tool}.ts`), `const name: string = input; return tools.files[name]();`);
      return clawport(path, "run", join(path, `${tool}.ts`), "--input", JSON.stringify(tool));
    },
    audit: (tool) => hubs.commands.audit(tool),
  },
  {
    name: "clawport call",
    caller: { door: "cli", client: "clawport call" },
    call: (tool) => clawport(hubs.commands.home.path, "call", `files__${tool}`),
    audit: (tool) => hubs.commands.audit(tool),
  },
  ...backends.map((backend): Way => ({
    name: `clawport call order_openclaw, ${backend} backend`,
    caller: { door: "cli", client: "clawport call", agent: "clawport" },
    call: (tool) => {
      const words = ["call", "order_openclaw", JSON.stringify({ message: orderFor(backend, tool) })];
      return clawport(hubs[backend].home.path, ...words);
    },
    audit: (tool) => hubs[backend].audit(tool),
  })),
];

const ways: readonly Way[] = [...["main", "laptop", "phone"].flatMap(httpWays), ...stdioWays, ...cliWays];

describe.each(ways.filter(({ reaches = true }) => reaches))("$name", ({ caller, isScript = false, call, audit }) => {
  const { door, token, client, agent } = caller;

  test("reaches the tools, and is in the audit as the original caller with the agent", async () => {
    expect(await call("free")).toContain("ran free");
    const own = async () =>
      (await audit("files__free")).filter(
        (line) =>
          line.door === door &&
          line.token === token &&
          line.agent === agent &&
          (line.script !== undefined) === isScript,
      );
    await until(async () => (await own()).length > 0);
    for (const line of await own()) expect(line).toMatchObject({ outcome: "ok", ...(client && { client }) });
  });

  test("is judged by the rules for the original caller, and for the agent", async () => {
    expect(await call("by_door")).toContain(`door ${door}`);
    expect(await call("by_token")).toContain(token === undefined ? "ran by_token" : `token ${token}`);
    expect(await call("by_agent")).toContain(agent === undefined ? "ran by_agent" : "agent clawport");
  });
});

test.each(ways.filter(({ reaches }) => reaches === false))(
  "$name: no tool outside its view",
  async ({ call, caller, audit }) => {
    for (const tool of ["free", "by_door", "by_token", "by_agent"])
      expect(await call(tool)).toMatch(/unknown tool|no tool "files(?:__|\.)|unavailable tool/i);
    for (const line of await audit("order_openclaw")) expect(line).not.toMatchObject({ agent: "clawport" });
    const own = (await audit("files__free")).filter(({ token }) => token === caller.token);
    for (const line of own) expect(line).toMatchObject({ verdict: "deny", outcome: "unknown-tool" });
  },
);

test.each(backends)("a limit per caller counts direct calls and those of an order together (%s)", async (backend) => {
  const hub = hubs[backend];
  const direct = (token: string) => hub.call(token, "files__once", {});
  const ordered = (token: string) => hub.order(token, orderFor(backend, "once"));
  expect(await direct("main")).toBe("ran once");
  expect(await ordered("main")).toContain("files__once exceeded a limit");
  expect(await ordered("laptop")).toContain("ran once");
  expect(await direct("laptop")).toContain("files__once exceeded a limit");
});

describe("a server that uses the model", () => {
  test("does so as the caller of the tool, beside its own name", async () => {
    const { commands } = hubs;
    expect(await commands.call("laptop", "files__ask_model", {})).toContain("forbids it: token laptop");
    expect(await commands.order("laptop", orderFor("commands", "ask_model"))).toContain("forbids it: token laptop");
    expect(await commands.call("main", "files__ask_model", {})).toContain("ECHO:hello");
    expect(await commands.order("main", orderFor("commands", "ask_model"))).toContain("ECHO:hello");
    expect(await commands.call("main", "files__ask_model", {})).toContain("exceeded a limit");
    const lines = await commands.audit("sampling__files", 5);
    expect(lines.map(({ door, token, agent, server, outcome }) => [door, token, agent, server, outcome])).toEqual([
      ["mcp-http", "laptop", undefined, "files", "denied"],
      ["mcp-http", "laptop", "clawport", "files", "denied"],
      ["mcp-http", "main", undefined, "files", "ok"],
      ["mcp-http", "main", "clawport", "files", "ok"],
      ["mcp-http", "main", undefined, "files", "rate-limited"],
    ]);
  });
});

test("an app's tools are called as who came through the app proxy, or through the hub", async () => {
  const { commands } = hubs;
  const proxy = createProxyClient(commands.hub.appsAddress ?? "", appsEnv);
  const session = await proxy.create({ tools: [echoTool, { ...echoTool, name: "locked" }] });
  const ran = ({ text }: { text: string }) => ({ echoed_text: text });
  const headers = { authorization: `Bearer ${session.bridge_token}` };
  await using _ = await openApp(session.bridge_url, { headers, tools: { echo_text: ran, locked: ran } });
  await until(async () => (await commands.order("laptop", "/tools app__")).includes("app__locked"));
  expect(await proxy.call(session, "echo_text", { text: "hi" })).toContain("hi");
  expect(await proxy.call(session, "locked", { text: "hi" })).toContain("door app-proxy");
  expect(await commands.call("laptop", "app__locked", { text: "hi" })).toContain("token laptop");
  expect(await commands.order("laptop", '/call app__locked {"text":"hi"}')).toContain("token laptop");
  expect(await commands.order("main", '/call app__locked {"text":"hi"}')).toContain("hi");
  expect(await commands.audit("locked")).toMatchObject([{ door: "app-proxy", outcome: "denied" }]);
  expect(await commands.audit("app__locked", 3)).toMatchObject([
    { door: "mcp-http", token: "laptop", outcome: "denied" },
    { door: "mcp-http", token: "laptop", agent: "clawport", outcome: "denied" },
    { door: "mcp-http", token: "main", agent: "clawport", outcome: "ok" },
  ]);
});

describe("an order to a running OpenClaw", () => {
  test("is judged itself; OpenClaw's own tools are not ours to judge", async () => {
    expect(await gatewayHub.order("phone", "/call files__free {}")).toBe("ECHO:/call files__free {}");
    expect(await gatewayHub.audit("order_openclaw")).toMatchObject([
      { door: "mcp-http", token: "phone", outcome: "ok" },
    ]);
  });

  test("keeps the conversations of tokens apart", async () => {
    for (const token of ["main", "phone"]) await gatewayHub.order(token, "hello", { sessionKey: "work" });
    const keys = gateway.requests.flatMap(({ method, params }) => (method === "chat.send" ? [params.sessionKey] : []));
    expect(keys.slice(-2)).toEqual(["agent:main:work", expect.stringMatching(/^agent:main:work@phone-[0-9a-f]{16}$/)]);
  });
});

describe("what only the owner may do", () => {
  const refused = "Only the main token may";

  test.each([
    ["main", true],
    ["laptop", false],
    ["phone", false],
  ])("with the token %s, over HTTP: %s", async (name, may) => {
    for (const backend of backends) {
      const answer = await hubs[backend].order(name, "/mcp refresh files");
      expect(answer).toContain(may ? "files: 6 tools" : refused);
    }
    const response = await fetch(new URL("/control/servers.list", hubs.commands.hub.url), {
      method: "POST",
      headers: { authorization: `Bearer ${await hubs.commands.token(name)}`, "content-type": "application/json" },
      body: "{}",
    });
    expect(response.status, "no token controls the hub").toBe(409);
  });

  test("over a pipe and at a terminal", async () => {
    expect(textOf(await pipes.model.order({ message: "/mcp refresh files" }))).toBe("files: 6 tools");
    const words = ["call", "order_openclaw", JSON.stringify({ message: "/mcp refresh files" })];
    expect(await clawport(hubs.commands.home.path, ...words)).toContain("files: 6 tools");
    expect(await clawport(pipes.commands.home, "agent", "/mcp refresh files")).toContain("files: 6 tools");
  });
});
