import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startGuard } from "../../../tests/support/start-guard.ts";
import { createCatalog } from "../../catalog/catalog.ts";
import { Fault } from "../../core/fault.ts";
import { type Home, openHome } from "../../core/files/home.ts";
import { readText, sendHttp } from "../../core/http/send-http.ts";
import { createSocketAgent } from "../../core/http/socket-agent.ts";
import { silentLog } from "../../core/log.ts";
import { Secret } from "../../core/secrets/secret.ts";
import type { ControlHandler } from "../../doors/mcp/control-route.ts";
import type { HubKeyName } from "../../doors/mcp/gate.ts";
import { type HttpDoor, openHttpDoor } from "../../doors/mcp/http-door.ts";
import { hubKeyPath, openHubKeys, readHubKey } from "../../doors/mcp/hub-keys.ts";
import { listenForOwner } from "../engine/hub-socket.ts";
import { createRemoteControl } from "./remote-control.ts";

const names = new Map([
  ["main-token", "main"],
  ["phone-token", "phone"],
]);
let home: Home;
let door: HttpDoor | undefined;
beforeEach(async () => {
  home = await openHome(await mkdtemp(join(tmpdir(), "control-")));
});
afterEach(async () => {
  await door?.close(100);
  await rm(home.path, { recursive: true, force: true });
});

async function open(control?: ControlHandler): Promise<void> {
  const { guard } = await startGuard();
  door = await openHttpDoor({
    host: "127.0.0.1",
    port: 0,
    catalog: createCatalog(),
    guard,
    tokens: { match: (presented) => (names.has(presented) ? { name: names.get(presented)! } : undefined) },
    info: { name: "clawport", version: "1" },
    log: silentLog,
    local: control && {
      control,
      keys: await openHubKeys({ home, log: silentLog }),
      listen: (server) => listenForOwner(server, home, {}),
    },
  });
}

const keyOf = (name: HubKeyName): string => readHubKey(hubKeyPath({ home }, name))!.reveal();
const socket = () => ({ path: door!.socket!, home: home.path });

interface Sent {
  readonly presented?: string;
  readonly method?: "POST" | "GET";
  readonly overTcp?: boolean;
}

async function send(path: string, body: string, { presented, method = "POST", overTcp = false }: Sent = {}) {
  const headers = {
    "content-type": "application/json",
    ...(presented !== undefined && { authorization: `Bearer ${presented}` }),
  };
  const url = new URL(path, door!.address);
  if (overTcp) {
    const answer = await fetch(url, { method, headers, ...(method === "POST" && { body }) });
    return { status: answer.status, body: await answer.text() };
  }
  const agent = createSocketAgent(socket());
  const response = await sendHttp({ url, method, headers, body: method === "POST" ? body : undefined, agent });
  const text = await readText(response, 1_000_000).finally(() => agent.destroy());
  return { status: response.statusCode, body: text };
}

test("the control key asks, gets the answer, and hears a fault with its code", async () => {
  const asked: unknown[] = [];
  await open(async (verb, body, key) => {
    asked.push([verb, body, key]);
    if (verb === "servers.logs") throw new Fault("not-found", "no such server", { detail: { name: "x" } });
    return ["a"];
  });
  const key = new Secret(keyOf("control"));
  const control = createRemoteControl({ address: door!.address, name: "the hub", socket: socket(), key });
  expect(await control.servers.list()).toEqual(["a"]);
  await expect(control.servers.logs({ name: "x" })).rejects.toMatchObject({ code: "not-found", detail: { name: "x" } });
  expect(asked).toEqual([
    ["servers.list", {}, "control"],
    ["servers.logs", { name: "x" }, "control"],
  ]);
  control.close();
});

test("no token controls the hub, nor does a key over TCP, a GET, a large body, or a door without a control", async () => {
  let asked = 0;
  await open(async () => void asked++);
  const verb = "/control/servers.list";
  for (const overTcp of [false, true]) {
    for (const presented of ["phone-token", "main-token"]) {
      const answer = await send(verb, "{}", { presented, overTcp });
      expect(answer.status).toBe(409);
      expect(JSON.parse(answer.body)).toMatchObject({ error: { code: "conflict", detail: { reason: "restart" } } });
    }
    expect((await send(verb, "{}", { presented: "guessed", overTcp })).status).toBe(401);
    expect((await send(verb, "{}", { overTcp })).status).toBe(401);
  }
  for (const name of ["control", "relay"] as const)
    for (const path of [verb, "/mcp", "/", "/mcp?relay=cli", "/metrics"])
      expect((await send(path, "{}", { presented: keyOf(name), overTcp: true })).status).toBe(401);
  const presented = keyOf("control");
  expect((await send(verb, "", { presented, method: "GET" })).status).toBe(405);
  expect((await send(verb, JSON.stringify({ name: "x".repeat(17_000_000) }), { presented })).status).toBe(413);
  expect((await send("/control/../etc", "{}", { presented })).status).toBe(403);
  expect(asked).toBe(0);
  await door?.close(100);
  await open();
  expect((await send(verb, "{}", { presented: "main-token", overTcp: true })).status).toBe(404);
});

test("each key opens its own addresses at the socket, and none at /mcp", async () => {
  await open(async () => undefined);
  const list = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
  const opens = async (path: string) => {
    const statuses = ["control", "relay", "main"].map(async (name) => {
      const presented = name === "main" ? "main-token" : keyOf(name as HubKeyName);
      return [name, (await send(path, list, { presented })).status === 200] as const;
    });
    return (await Promise.all(statuses)).filter(([, isOpen]) => isOpen).map(([name]) => name);
  };
  expect(await opens("/mcp?relay=cli")).toEqual(["control"]);
  expect(await opens("/mcp?relay=order-cli")).toEqual(["control"]);
  expect(await opens("/mcp?relay=stdio")).toEqual(["relay"]);
  expect(await opens("/mcp?relay=apps")).toEqual(["relay"]);
  expect(await opens("/mcp?relay=order-stdio")).toEqual(["relay"]);
  expect(await opens("/mcp")).toEqual(["main"]);
  expect(await opens("/")).toEqual(["main"]);
  const relayed = await send("/mcp?relay=stdio", list, { presented: "main-token", overTcp: true });
  expect([relayed.status, relayed.body]).toEqual([409, expect.stringContaining("start it again")]);
});
