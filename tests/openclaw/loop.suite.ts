import { copyFile, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { hubMcpUrl, mcpUrlWithoutAgent } from "../../src/core/http/hub-routes.ts";
import { silentLog } from "../../src/core/log.ts";
import { resolveGatewayAddress } from "../../src/openclaw/locate-gateway.ts";
import { openGateway } from "../../src/openclaw/open-gateway.ts";
import { clawport, makePlace, type Place, type RunningHub, startHub } from "../support/cli/run-clawport.ts";
import { serverCommand } from "../support/start-mcp-server.ts";
import { until } from "../support/until.ts";
import { openBench, type OpenClawBench } from "./bench/open-bench.ts";
import { freePort } from "../support/free-port.ts";

let place: Place;
let alone: Place;
let bench: OpenClawBench;
let hub: RunningHub;

/** A hub among the MCP servers of the very OpenClaw that it sends its orders to. */
beforeAll(async () => {
  place = await makePlace();
  alone = await makePlace();
  const token = (await clawport(place, "token", "show")).out.trim();
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const entry = { transport: "streamable-http", headers: { Authorization: `Bearer ${token}` } };
  bench = await openBench({
    config: {
      mcp: {
        servers: {
          clawport: { ...entry, url: hubMcpUrl(origin) },
          lean: { ...entry, url: mcpUrlWithoutAgent(hubMcpUrl(origin)) },
          alone: serverCommand("--home", alone.home),
        },
      },
    },
  });
  // Where the server that OpenClaw starts looks for its gateway: OpenClaw hands on no variables of its own.
  await mkdir(join(bench.folder, ".openclaw"));
  await copyFile(bench.env["OPENCLAW_CONFIG_PATH"]!, join(bench.folder, ".openclaw", "openclaw.json"));
  for (const { env, folder } of [place, alone]) Object.assign(env, bench.env, { HOME: folder });
  hub = await startHub(place, "--port", String(port));
  // The first turn of a gateway takes long, and `clawport` may run out of time.
  await clawport(place, "agent", "hello").catch(() => {});
});

afterAll(async () => {
  await hub?.[Symbol.asyncDispose]();
  await bench?.[Symbol.asyncDispose]();
  await alone?.[Symbol.asyncDispose]();
  await place?.[Symbol.asyncDispose]();
});

const nested = 'call:clawport__order_openclaw {"message":"the inner order"}';

test("an order that makes OpenClaw order itself is refused at the second level, with the reason", async () => {
  const before = bench.model.requests.length;
  const { exit, out } = await clawport(place, "agent", nested);
  expect(exit).toBe(0);
  expect(out).toContain("an agent that orders itself would never end");
  // One turn to call the tool, one to tell its answer: the inner order reached no model.
  expect(bench.model.requests.length - before).toBe(2);
});

test("it is noticed, too, where OpenClaw starts a server of its own for each conversation and no hub runs", async () => {
  const { exit, out } = await clawport(alone, "agent", nested.replace("clawport__", "alone__"));
  expect(exit).toBe(0);
  expect(out).toContain("an agent that orders itself would never end");
});

test("a chat in OpenClaw may place an order: that is the first level", async () => {
  const address = await resolveGatewayAddress({ env: bench.env, homedir: bench.folder });
  const gateway = await openGateway({ address, log: silentLog, version: "0" });
  try {
    const { signal } = new AbortController();
    await gateway.connected(signal);
    let final = "";
    gateway.onEvent(({ event, payload }) => {
      const { runId, state, message } = payload as { runId?: string; state?: string; message?: unknown };
      if (event === "chat" && runId === "a-chat" && state === "final") final = JSON.stringify(message);
    });
    const params = { sessionKey: "agent:main:chat", message: nested, idempotencyKey: "a-chat", deliver: false };
    await gateway.request("chat.send", params, { signal });
    await until(() => final !== "", "the end of the chat", 120_000);
    expect(final).toContain("ECHO:the inner order");
  } finally {
    await gateway.close();
  }
});

test("at the address for OpenClaw, order_openclaw is not offered", async () => {
  await clawport(place, "agent", "hello");
  const offered = JSON.stringify(bench.model.requests.at(-1));
  expect(offered).toContain("clawport__order_openclaw");
  expect(offered).not.toContain("lean__order_openclaw");
});
