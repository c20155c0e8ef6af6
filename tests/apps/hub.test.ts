import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { expect, test } from "vitest";
import { runCli } from "../../src/cli/run-cli.ts";
import { defaultConfig } from "../../src/core/config/find-config.ts";
import { openHome } from "../../src/core/files/home.ts";
import { createLiveLog } from "../../src/core/log.ts";
import { memoryWorld } from "../support/cli/memory-world.ts";
import { type Hub, openHub } from "../support/open-hub.ts";
import { bearer, type Created, registration } from "./start-proxy.ts";
import { openApp } from "../support/apps/test-app.ts";

interface TestHub extends AsyncDisposable {
  readonly hub: Hub;
  readonly token: string;
  /** The file that the hub makes the token of the apps in. */
  readonly tokenFile: string;
  /** With the token that the hub made, if there is one. */
  register(parts?: object, headers?: Record<string, string>): Promise<Created>;
  rpc(method: string, params?: object): Promise<string>;
  /** Names of what the hub's own door offers, its own tools aside. */
  names(): Promise<readonly string[]>;
}

async function startHub(apps: object): Promise<TestHub> {
  const folder = await mkdtemp(join(tmpdir(), "hub-apps-"));
  const hub = await openHub({
    home: await openHome(join(folder, "state")),
    configuration: { config: { ...defaultConfig, apps: { ...defaultConfig.apps, port: 0, ...apps } } },
    env: { OPENCLAW_GATEWAY_PORT: "1" },
    log: createLiveLog({ level: "error", format: "human", write: () => {} }),
    version: "1.2.3",
    port: 0,
  }).catch(async (error: unknown) => {
    await rm(folder, { recursive: true, force: true });
    throw error;
  });
  const token = (await readFile(hub.tokenPath, "utf8")).trim();
  const post = (url: string, body: object, headers = {}) =>
    fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
      body: JSON.stringify(body),
    });
  const tokenFile = join(folder, "state", "apps", "token.txt");
  const appToken = await readFile(tokenFile, "utf8").catch(() => "");
  const appHeaders = appToken === "" ? {} : bearer(appToken.trim());
  const own: TestHub = {
    hub,
    token,
    tokenFile,
    async register(parts = {}, headers = appHeaders) {
      const response = await post(`${hub.appsAddress}/v1/chat/sessions`, { ...registration, ...parts }, headers);
      return (await response.json()) as Created;
    },
    rpc: async (method, params = {}) =>
      (await post(hub.url, { jsonrpc: "2.0", id: 1, method, params }, bearer(token))).text(),
    async names() {
      const { result } = JSON.parse(await own.rpc("tools/list"));
      const names = result.tools.map(({ name }: { name: string }) => name);
      return names.filter((name: string) => !["order_openclaw", "read_result", "search_result"].includes(name));
    },
    async [Symbol.asyncDispose]() {
      await hub.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
  return own;
}

const connect = ({ bridge_url: url, bridge_token: token }: Created) => openApp(url, { headers: bearer(token) });

test("with apps.show a hub offers the tools of connected apps under a prefix, while they are connected", async () => {
  await using own = await startHub({ serve: true, show: true });
  const session = await own.register();
  expect(await own.names()).toEqual([]);
  const app = await connect(session);
  await expect.poll(() => own.names()).toEqual(["app__echo_text"]);
  const called = await own.rpc("tools/call", { name: "app__echo_text", arguments: { text: "hi" } });
  expect(called).toContain('"structuredContent":{"echoed_text":"hi"}');
  expect(app.messages.map(({ tool_name }) => tool_name)).toEqual(["echo_text"]);
  const world = memoryWorld();
  expect(await runCli(["tools", "app", "--home", join(own.tokenFile, "../..")], world)).toBe(0);
  expect(world.out()).toContain("app__echo_text");
  await app[Symbol.asyncDispose]();
  await expect.poll(() => own.names()).toEqual([]);
});

test("clients are notified when an app connects, and each app has an address that does not reveal its session", async () => {
  await using own = await startHub({ serve: true, show: true, prefix: "phone" });
  await using client = await openClient(own.hub.url, own.token);
  const sessions = [await own.register(), await own.register()];
  // The client opens its stream in the background, and gets only changes after that.
  while (client.changes === 0) {
    await using ___ = await connect(sessions[0]!);
    await sleep(20);
  }
  await using _ = await connect(sessions[0]!);
  await using __ = await connect(sessions[1]!);
  await expect.poll(async () => (await own.names()).length).toBe(2);
  for (const name of await own.names()) expect(name).toMatch(/^phone__echo_text_[0-9a-f]{8}$/);
  const ids = own.hub.sources().flatMap(({ id, kind }) => (kind === "app" ? [id] : []));
  expect(ids).toEqual([expect.stringMatching(/^phone-[0-9a-f]{8}$/), expect.stringMatching(/^phone-[0-9a-f]{8}$/)]);
  await using alone = await openClient(`${own.hub.url}/${ids[0]}`, own.token);
  expect(await alone.names()).toEqual(["echo_text"]);
});

test("sessions with own_tokens_only are not shown, and none are without apps.show", async () => {
  await using shown = await startHub({ serve: true, show: true });
  const secret = await shown.register({ own_tokens_only: true });
  await using open = await connect(await shown.register());
  await using _ = await connect(secret);
  await expect.poll(() => shown.names()).toEqual(["app__echo_text"]);
  await shown.rpc("tools/call", { name: "app__echo_text", arguments: { text: "hi" } });
  expect(open.messages).toHaveLength(1);
  await using apart = await startHub({ serve: true });
  const session = await apart.register();
  await using __ = await connect(session);
  expect(await apart.names()).toEqual([]);
  await using client = await openClient(session.mcp_url);
  expect(await client.names()).toEqual(["echo_text"]);
});

test("without apps.serve the hub has no address for apps, and a port in use is refused", async () => {
  await using own = await startHub({});
  expect(own.hub.appsAddress).toBeUndefined();
  await using other = await startHub({ serve: true });
  const port = Number(new URL(other.hub.appsAddress ?? "").port);
  await expect(startHub({ serve: true, port })).rejects.toThrow("set apps.port to another");
});

async function openClient(url: string, token?: string) {
  const client = new Client({ name: "test", version: "1" });
  let changes = 0;
  client.setNotificationHandler("notifications/tools/list_changed", () => void changes++);
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: bearer(token) } }));
  return {
    get changes() {
      return changes;
    },
    names: async () => (await client.listTools()).tools.map(({ name }) => name),
    [Symbol.asyncDispose]: () => client.close(),
  };
}

test("an app proxy that shows apps has a token from its first start, which only its owner can read", async () => {
  await using own = await startHub({ serve: true, show: true });
  const { tokenFile } = own;
  expect((await stat(tokenFile)).mode & 0o777).toBe(0o600);
  for (const headers of [{}, bearer("wrong"), bearer(own.token)])
    expect(await own.register({}, headers)).toMatchObject({ code: "unauthorized" });
  const { bridge_url: url } = await own.register();
  await using stranger = await openApp(url);
  expect((await stranger.closed).code).toBe(4401);
  expect(await own.names()).toEqual([]);
  const token = await readFile(tokenFile, "utf8");
  await own.hub.close();
  expect(await readFile(tokenFile, "utf8")).toBe(token);
});

test("apps connect without a token only if they are not shown, or if `apps.open` says so", async () => {
  for (const apps of [{ serve: true }, { serve: true, show: true, open: true }]) {
    await using own = await startHub(apps);
    expect(await own.register({}, {})).toHaveProperty("mcpSessionId");
    await expect(stat(own.tokenFile)).rejects.toMatchObject({ code: "ENOENT" });
  }
});
