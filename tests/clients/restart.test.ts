import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { expect, test, vi } from "vitest";
import { openHome } from "../../src/core/files/home.ts";
import { silentLog } from "../../src/core/log.ts";
import { ensureClientToken } from "../../src/hub/clients/client-token.ts";
import { clawport, mainFile, type Place, type RunningHub, startHub } from "../support/cli/run-clawport.ts";
import { placeWith } from "../support/cli/test-home.ts";
import { openJournal } from "../servers/open-journal.ts";
import { freePort } from "../support/free-port.ts";
import { until } from "../support/until.ts";
import type { Reach, TestClient } from "../support/clients/test-client.ts";
import { openV1Client } from "../support/clients/v1-client.ts";
import { openV2Client } from "../support/clients/v2-client.ts";

vi.setConfig({ testTimeout: 60_000 });

const clients: readonly (readonly [string, (reach: Reach) => Promise<TestClient>])[] = [
  ["SDK v1", (reach) => openV1Client(reach)],
  ["SDK v2, sessions", (reach) => openV2Client(reach, "legacy")],
  ["SDK v2, no sessions", (reach) => openV2Client(reach, "auto")],
];

async function reachOf({ ready }: RunningHub, token?: string): Promise<Reach> {
  const bearer = token ?? (await readFile(ready.tokenPath, "utf8")).trim();
  return { url: ready.url, headers: { authorization: `Bearer ${bearer}` } };
}

async function kill(hub: RunningHub): Promise<void> {
  hub.child.kill("SIGKILL");
  await hub.ended;
}

test.for(clients)("%s goes on after the hub was killed between two calls", async ([, open]) => {
  await using journal = await openJournal();
  await using place = await placeWith({ rogue: journal.server() });
  const port = String(await freePort());
  const first = await startHub(place, "--port", port);
  const client = await open(await reachOf(first));
  expect(await client.call("rogue__write")).toContain("write ran");
  await kill(first);
  await using _second = await startHub(place, "--port", port);
  // The server is still connecting: the call waits for it.
  expect(await client.call("rogue__write")).toContain("write ran");
  expect(await client.toolNames()).toContain("rogue__write");
  await client[Symbol.asyncDispose]();
});

test.for(clients.slice(0, 2))(
  "%s learns that the outcome of a call is unknown if the hub was killed during it",
  async ([, open]) => {
    await using journal = await openJournal();
    await using place = await placeWith({ rogue: journal.server() });
    const port = String(await freePort());
    const first = await startHub(place, "--port", port);
    const client = await open(await reachOf(first));
    const begun = Promise.withResolvers<void>();
    const lost = client.call(
      "rogue__write",
      { do: "progress", steps: 1000, everyMs: 50 },
      { onProgress: () => begun.resolve() },
    );
    await Promise.race([begun.promise, lost]);
    await kill(first);
    await using _second = await startHub(place, "--port", port);
    expect(await lost).toMatch(/may or may not have completed.*true\]/);
    expect(await client.call("rogue__write")).toContain("write ran");
    expect(journal.count("run write")).toBe(2);
    await client[Symbol.asyncDispose]();
  },
);

test("a token that was removed, or made again under the same name, can't go on with its sessions", async () => {
  await using place = await placeWith({});
  const port = String(await freePort());
  const first = await startHub(place, "--port", port);
  const token = await addToken(place, "phone");
  const session = await openSession(await reachOf(first, token));
  expect(await ping(first, token, session)).toBe(200);
  await kill(first);
  await clawport(place, "token", "remove", "phone");
  const renewed = await addToken(place, "phone");
  await using second = await startHub(place, "--port", port);
  expect(await ping(second, token, session)).toBe(401);
  expect(await ping(second, renewed, session)).toBe(404);
});

test("a token that is removed while the hub runs ends its session's stream", async () => {
  await using place = await placeWith({});
  await using hub = await startHub(place, "--port", String(await freePort()));
  const token = await addToken(place, "phone");
  const session = await openSession(await reachOf(hub, token));
  const stream = await fetch(hub.ready.url, { headers: headersOf(token, session) });
  expect(stream.status).toBe(200);
  await clawport(place, "token", "remove", "phone");
  await stream.text();
  const renewed = await addToken(place, "phone");
  await until(async () => (await ping(hub, renewed, session)) !== 401);
  expect(await ping(hub, renewed, session)).toBe(404);
});

test.for(["without a hub", "through a hub"])(
  "a client of `serve --as` ends with its token, in the middle of a call, %s",
  async (how) => {
    await using journal = await openJournal();
    await using place = await placeWith({ rogue: journal.server() });
    await ensureClientToken({ home: await openHome(place.home), log: silentLog }, "cursor");
    await using stack = new AsyncDisposableStack();
    if (how === "through a hub") stack.use(await startHub(place, "--port", "0"));
    const served = spawn(process.execPath, [mainFile, "serve", "--stdio", "--as", "cursor"], {
      env: place.env,
      cwd: place.folder,
    });
    stack.defer(() => void served.kill("SIGKILL"));
    const ended = once(served, "exit");
    const said: string[] = [];
    for (const output of [served.stdout, served.stderr]) output.on("data", (chunk) => said.push(String(chunk)));
    const send = (message: object) => served.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
    const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } };
    send({ id: 1, method: "initialize", params });
    send({ method: "notifications/initialized" });
    const slow = { name: "rogue__write", arguments: { do: "progress", steps: 10_000, everyMs: 50 } };
    send({ id: 2, method: "tools/call", params: { ...slow, _meta: { progressToken: 1 } } });
    await until(() => said.join("").includes("notifications/progress"), "the call");
    expect((await clawport(place, "token", "remove", "cursor")).exit).toBe(0);
    expect((await ended)[0]).toBe(77);
    expect(said.join("")).toContain("Run `clawport install cursor` to make one.");
  },
);

async function addToken(place: Place, name: string): Promise<string> {
  const { out } = await clawport(place, "token", "add", name, "--json");
  return (JSON.parse(out) as { token: string }).token;
}

function headersOf(token: string, session?: string): Record<string, string> {
  return {
    authorization: `Bearer ${token}`,
    accept: "application/json, text/event-stream",
    "content-type": "application/json",
    ...(session === undefined ? {} : { "mcp-session-id": session }),
  };
}

async function openSession(reach: Reach): Promise<string> {
  if (!("url" in reach)) throw new Error("not over HTTP");
  const token = reach.headers?.authorization?.slice("Bearer ".length) ?? "";
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params });
  const response = await fetch(reach.url, { method: "POST", headers: headersOf(token), body });
  await response.text();
  return response.headers.get("mcp-session-id") ?? "";
}

async function ping({ ready }: RunningHub, token: string, session: string): Promise<number> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });
  const response = await fetch(ready.url, { method: "POST", headers: headersOf(token, session), body });
  await response.text();
  return response.status;
}
