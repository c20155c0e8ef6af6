import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { describe, expect, test, vi } from "vitest";
import {
  clawport,
  isWindows,
  mainFile,
  type Place,
  type RunningHub,
  startHub,
  startReady,
} from "../support/cli/run-clawport.ts";
import { isAlive, placeWith, shelf } from "../support/cli/test-home.ts";
import { until } from "../support/until.ts";

vi.setConfig({ testTimeout: 60_000 });

/** Offered beside the tools of the servers. */
const ofResults = ["read_result", "search_result"];

interface Served extends AsyncDisposable {
  readonly client: Client;
  readonly changes: () => number;
  toolNames(): Promise<readonly string[]>;
}

async function serveStdio(place: Place, ...options: string[]): Promise<Served> {
  const client = new Client({ name: "test", version: "1" }, { capabilities: {} });
  let changes = 0;
  client.setNotificationHandler("notifications/tools/list_changed", () => void changes++);
  const env = place.env as Record<string, string>;
  const args = [mainFile, "serve", "--stdio", ...options];
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args, env, cwd: place.folder, stderr: "ignore" }),
  );
  return {
    client,
    changes: () => changes,
    toolNames: async () => (await client.listTools()).tools.map(({ name }) => name),
    [Symbol.asyncDispose]: () => client.close(),
  };
}

test("over stdio all configured servers are offered as one, and end with the client", async () => {
  await using place = await placeWith({ a: shelf("a"), b: shelf("b") });
  const served = await serveStdio(place);
  expect(await served.toolNames()).toEqual(expect.arrayContaining(["a__put", "b__put"]));
  const { content } = await served.client.callTool({ name: "b__pid", arguments: {} });
  const pid = Number((content as { text: string }[])[0]?.text);
  expect(isAlive(pid)).toBe(true);
  await served[Symbol.asyncDispose]();
  await until(() => !isAlive(pid));
});

test("--only starts the named servers alone, and refuses an unknown name", async () => {
  await using place = await placeWith({ a: shelf("a"), b: shelf("b") });
  await using served = await serveStdio(place, "--only", "b");
  expect(new Set((await served.toolNames()).map((name) => name.split("__")[0]))).toEqual(new Set(["b", ...ofResults]));
  expect(await clawport(place, "serve", "--stdio", "--only", "a,nonsense")).toMatchObject({
    exit: 3,
    out: "",
    err: 'clawport: There is no server "nonsense". The servers are: a, b.\n',
  });
});

test("a slow server does not delay the others: its tools are announced when it is connected", async () => {
  await using place = await placeWith({});
  const release = join(place.folder, "release");
  await place.configure({ quick: shelf("quick"), held: shelf("held", release) });
  await using served = await serveStdio(place, "--wait", "2");
  await until(async () => (await served.toolNames()).includes("quick__put"));
  expect(await served.toolNames()).not.toContain("held__put");
  const before = served.changes();
  await writeFile(release, "");
  await until(() => served.changes() > before);
  expect(await served.toolNames()).toContain("held__put");
});

test("the handshake is answered before any server is connected", async () => {
  await using place = await placeWith({});
  const release = join(place.folder, "release");
  await place.configure({ held: shelf("held", release) });
  const child = spawn(process.execPath, [mainFile, "serve", "--stdio", "--wait", "60", "-q"], {
    env: place.env,
    cwd: place.folder,
  });
  const answers: { readonly id: number; readonly result: { readonly tools?: readonly unknown[] } }[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => {
    const message = JSON.parse(line);
    if ("id" in message) answers.push(message);
  });
  const errors = text(child.stderr);
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "1" } };
  for (const message of [
    { id: 1, method: "tools/list" },
    { id: 2, method: "initialize", params },
  ])
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  await until(() => answers.length === 1);
  await writeFile(release, "");
  await until(() => answers.length === 2);
  expect(answers).toMatchObject([{ id: 2, result: { serverInfo: { name: "clawport" } } }, { id: 1 }]);
  expect(answers[1]?.result.tools).toHaveLength(7 + ofResults.length);
  child.stdin.end();
  await once(child, "exit");
  expect(await errors).toBe("");
});

test.skipIf(isWindows)(
  "over HTTP clients with a token are served, and an edit of the configuration is applied (needs POSIX signals)",
  async () => {
    await using place = await placeWith({ a: shelf("a") });
    await using served = await startReady<RunningHub["ready"] & { sources: object[] }>(
      place,
      "serve",
      "--http",
      "--port",
      "0",
      "--json",
    );
    const { url, tokenPath, sources } = served.ready;
    expect(sources).toEqual([{ id: "a", tools: 7 }]);
    expect(
      (await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body: "{}" })).status,
    ).toBe(401);
    const headers = { authorization: `Bearer ${(await readFile(tokenPath, "utf8")).trim()}` };
    const client = new Client({ name: "test", version: "1" }, { capabilities: {} });
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
    await place.configure({ a: shelf("a"), b: shelf("b") });
    await until(async () => (await client.listTools()).tools.some(({ name }) => name === "b__put"));
    await client.close();
    served.child.kill("SIGINT");
    expect(await served.ended).toBe(0);
  },
);

test.each(["without a hub", "with one"])(
  "a configuration that names itself as a server does not start itself without end, %s",
  async (how) => {
    await using place = await placeWith({});
    const me = { command: process.execPath, args: [mainFile, "serve", "--stdio"], env: { CLAWPORT_HOME: place.home } };
    await place.configure({ me, shelf: shelf("one") });
    const hub = how === "with one" ? await startHub(place, "--port", "0") : undefined;
    await until(async () => {
      const { servers } = JSON.parse((await clawport(place, "servers", "--json")).out) as {
        servers: { name: string; state: string; lastError?: string }[];
      };
      const [first, second] = servers;
      return second?.state === "ready" && (first?.lastError?.includes("it would start itself over and over") ?? false);
    });
    const { out } = await clawport(place, "tools");
    expect([out.includes("shelf__put"), out.includes("me__")]).toEqual([true, false]);
    await hub?.[Symbol.asyncDispose]();
  },
);

describe("with a running hub", () => {
  /** The hub is ready before its servers are. */
  const has = (served: Pick<Served, "toolNames">, name: string) =>
    until(async () => (await served.toolNames()).includes(name));

  const pidOf = async ({ client }: Served, name: string) => {
    const { content } = await client.callTool({ name: `${name}__pid`, arguments: {} });
    return Number((content as { text: string }[])[0]?.text);
  };

  test("its servers are offered over stdio, none is started twice, and they outlive the client", async () => {
    await using place = await placeWith({ a: shelf("a"), b: shelf("b") });
    await using hub = await startHub(place, "--port", "0");
    let pids: number[] = [];
    await until(async () => {
      const { servers } = JSON.parse((await clawport(place, "servers", "--json")).out) as {
        servers: { pid?: number }[];
      };
      pids = servers.flatMap(({ pid }) => pid ?? []);
      return pids.length === 2;
    });
    const [a = 0, b = 0] = pids;
    const served = await serveStdio(place);
    await has(served, "a__pid");
    await has(served, "b__pid");
    const prefixes = new Set((await served.toolNames()).map((name) => name.split("__")[0]));
    expect(prefixes).toEqual(new Set(["a", "b", ...ofResults]));
    expect([await pidOf(served, "a"), await pidOf(served, "b")]).toEqual([a, b]);
    await place.configure({ a: shelf("a"), b: shelf("b"), c: shelf("c") });
    await has(served, "c__put");
    await served[Symbol.asyncDispose]();
    expect(isAlive(a)).toBe(true);

    const audit = (await clawport(place, "audit", "--json")).out;
    expect(audit).toMatch(/"door":"mcp-stdio".*"client":"test"/);
    hub.child.kill("SIGINT");
    await hub.ended;
  });

  test("--only offers some of its servers, and --alone starts separate ones", async () => {
    await using place = await placeWith({ a: shelf("a"), b: shelf("b") });
    await using hub = await startHub(place, "--port", "0");
    await using some = await serveStdio(place, "--only", "b");
    await has(some, "b__put");
    expect(new Set((await some.toolNames()).map((name) => name.split("__")[0]))).toEqual(new Set(["b", ...ofResults]));
    await using own = await serveStdio(place, "--only", "b", "--alone");
    await has(own, "b__pid");
    expect(await pidOf(own, "b")).not.toBe(await pidOf(some, "b"));
    expect(await clawport(place, "serve", "--stdio", "--only", "nonsense")).toMatchObject({
      exit: 3,
      err: 'clawport: There is no server "nonsense". The servers are: a, b.\n',
    });
    hub.child.kill("SIGINT");
    await hub.ended;
  });

  test("without the hub's keys serve starts its own servers and says so, other commands refuse", async () => {
    await using place = await placeWith({ a: shelf("a") });
    await using _hub = await startHub(place, "--port", "0");
    const said = (name: string) =>
      `, but its key is not in ${join(place.home, name)}. Restart it: \`clawport stop\`, then \`clawport up\`.`;
    await rm(join(place.home, "relay.key"));
    await rm(join(place.home, "control.key"));
    const served = await clawport(place, "serve", "--stdio");
    expect([served.exit, served.err]).toEqual([0, expect.stringContaining(said("relay.key"))]);
    const refused = { exit: 77, err: expect.stringContaining(said("control.key")) as string };
    expect(await clawport(place, "servers")).toMatchObject(refused);
  });

  test("next to a hub of an earlier version serve starts its own servers, and commands say to restart it", async () => {
    await using place = await placeWith({ a: shelf("a") });
    await using hub = await startHub(place, "--port", "0");
    const file = join(place.home, "hub.json");
    const { socket: _, ...record } = JSON.parse(await readFile(file, "utf8")) as Record<string, unknown>;
    await writeFile(file, JSON.stringify(record));
    const said = "is of an earlier version. Restart it: `clawport stop`, then `clawport up`.";
    const served = await clawport(place, "serve", "--stdio");
    expect([served.exit, served.err]).toEqual([0, expect.stringContaining(said)]);
    expect(await clawport(place, "servers")).toMatchObject({ exit: 77, err: expect.stringContaining(said) as string });
    expect(await clawport(place, "token", "list")).toMatchObject({ exit: 0 });
    hub.child.kill("SIGINT");
    await hub.ended;
  });

  test("a server's question reaches the client, and fails for a client that can't be asked", async () => {
    await using place = await placeWith({ a: shelf("a") });
    await using hub = await startHub(place, "--port", "0");
    await using mute = await serveStdio(place);
    await has(mute, "a__ask");
    const refused = await mute.client.callTool({ name: "a__ask", arguments: {} }).catch((error: Error) => error);
    expect(JSON.stringify(refused instanceof Error ? refused.message : refused)).toContain("elicitation");
    const env = place.env as Record<string, string>;
    const client = new Client({ name: "test", version: "1" }, { capabilities: { elicitation: { form: {} } } });
    client.setRequestHandler("elicitation/create", () => ({ action: "accept", content: { colour: "red", many: 2 } }));
    const args = [mainFile, "serve", "--stdio"];
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args, env, cwd: place.folder, stderr: "ignore" }),
    );
    await has({ toolNames: async () => (await client.listTools()).tools.map(({ name }) => name) }, "a__ask");
    const { content } = await client.callTool({ name: "a__ask", arguments: {} });
    expect(JSON.stringify(content)).toContain('\\"colour\\":\\"red\\"');
    await client.close();
    hub.child.kill("SIGINT");
    await hub.ended;
  });

  test("a hub that restarts at another port is found again", async () => {
    await using place = await placeWith({ a: shelf("a") });
    const first = await startHub(place, "--port", "0");
    await using served = await serveStdio(place);
    await has(served, "a__pid");
    const before = await pidOf(served, "a");
    first.child.kill("SIGINT");
    await first.ended;
    await using second = await startHub(place, "--port", "0");
    const attempt = () => pidOf(served, "a").catch(() => Number.NaN);
    await until(async () => !Number.isNaN(await attempt()));
    expect(await pidOf(served, "a")).not.toBe(before);
    second.child.kill("SIGINT");
    await second.ended;
  });

  test("a token that is reset while the hub runs is used", async () => {
    await using place = await placeWith({ a: shelf("a") });
    await using hub = await startHub(place, "--port", "0");
    await using served = await serveStdio(place);
    await has(served, "a__pid");
    const pid = await pidOf(served, "a");
    const { url, tokenPath } = hub.ready;
    const old = (await readFile(tokenPath, "utf8")).trim();
    expect(await clawport(place, "token", "reset")).toMatchObject({ exit: 0 });
    const headers = { authorization: `Bearer ${old}`, "content-type": "application/json" };
    await until(async () => (await fetch(url, { method: "POST", headers, body: "{}" })).status === 401);
    await until(async () => (await pidOf(served, "a").catch(() => undefined)) === pid);
    hub.child.kill("SIGINT");
    await hub.ended;
  });
});

test.for(["alone", "from a hub"])(
  "with nothing configured, stderr and the instructions say where was looked: %s",
  async (how) => {
    await using place = await placeWith({});
    await using _hub = how === "alone" ? undefined : await startHub(place, "--port", "0");
    const client = new Client({ name: "test", version: "1" }, { capabilities: {} });
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [mainFile, "serve", "--stdio"],
      env: place.env as Record<string, string>,
      cwd: place.folder,
      stderr: "pipe",
    });
    let errors = "";
    transport.stderr?.on("data", (chunk) => (errors += String(chunk)));
    await client.connect(transport);
    const said = `no MCP servers are configured: ${join(place.home, "clawport.json5")} has none`;
    expect(client.getInstructions()).toContain(said);
    await until(() => errors.includes(said));
    await client.close();
  },
);

test("without a configuration file, the folders that were searched are named", async () => {
  await using place = await placeWith({ a: shelf("a") });
  await rm(join(place.home, "clawport.json5"));
  await using served = await serveStdio(place);
  expect(served.client.getInstructions()).toContain(
    `there is no clawport.json5 in ${place.folder} or in ${place.home}`,
  );
});

test.for(["alone", "from a hub"])(
  "over stdio names fit every client, and calls take the full ones, too: %s",
  async (how) => {
    await using place = await placeWith({ "my.shelf": shelf("one") });
    await using _hub = how === "alone" ? undefined : await startHub(place, "--port", "0");
    await using served = await serveStdio(place);
    expect(await served.toolNames()).toContain("my_shelf__put");
    for (const name of ["my_shelf__pid", "my.shelf__pid"]) {
      const { isError } = await served.client.callTool({ name, arguments: {} });
      expect(isError ?? false).toBe(false);
    }
  },
);
