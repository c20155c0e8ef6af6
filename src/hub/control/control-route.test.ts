import { request } from "node:http";
import { afterEach, expect, test } from "vitest";
import { startGuard } from "../../../tests/support/start-guard.ts";
import { createCatalog } from "../../catalog/catalog.ts";
import { Fault } from "../../core/fault.ts";
import { silentLog } from "../../core/log.ts";
import { Secret } from "../../core/secrets/secret.ts";
import { type ControlHandler, requireControl } from "../../doors/mcp/control-route.ts";
import { type HttpDoor, openHttpDoor } from "../../doors/mcp/http-door.ts";
import { createRemoteControl } from "./remote-control.ts";

const names = new Map([
  ["main-token", "main"],
  ["phone-token", "phone"],
]);
let door: HttpDoor | undefined;
afterEach(() => door?.close(100));

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
    control,
  });
}

function send(path: string, body: string, { token = "main-token", method = "POST" } = {}) {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  return new Promise<{ status: number; body: string }>((resolve, reject) => {
    const sent = request({ host: "127.0.0.1", port: door!.port, method, path, headers, agent: false }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => (text += chunk));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, body: text }));
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

test("the main token asks, gets the answer, and hears a fault with its code", async () => {
  const asked: unknown[] = [];
  await open(async (verb, body) => {
    asked.push([verb, body]);
    if (verb === "servers.logs") throw new Fault("not-found", "no such server", { detail: { name: "x" } });
    return ["a"];
  });
  const control = createRemoteControl({ address: `http://127.0.0.1:${door!.port}`, token: new Secret("main-token") });
  expect(await control.servers.list()).toEqual(["a"]);
  await expect(control.servers.logs("x")).rejects.toMatchObject({ code: "not-found", detail: { name: "x" } });
  expect(asked).toEqual([
    ["servers.list", {}],
    ["servers.logs", { name: "x" }],
  ]);
  control.close();
});

test("a client's token controls nothing, nor does a GET, a large body, or a door without a control", async () => {
  let asked = 0;
  await open(async () => void asked++);
  expect((await send("/control/servers.list", "{}", { token: "phone-token" })).status).toBe(403);
  expect((await send("/control/servers.list", "{}", { token: "guessed" })).status).toBe(401);
  expect((await send("/control/servers.list", "", { method: "GET" })).status).toBe(405);
  expect((await send("/control/servers.list", JSON.stringify({ name: "x".repeat(70_000) }))).status).toBe(413);
  expect((await send("/control/../etc", "{}")).status).toBe(404);
  expect(asked).toBe(0);
  await door?.close(100);
  await open();
  expect((await send("/control/servers.list", "{}")).status).toBe(404);
});

test("from another machine not even the main token controls the hub", () => {
  expect(() => requireControl({ method: "POST", isNear: false, token: "main" })).toThrow(/this machine/);
});
