import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { silentLog } from "../../src/core/log.ts";
import { Secret } from "../../src/core/secrets/secret.ts";
import { openSharedApps } from "../../src/hub/engine/apps/open-shared-apps.ts";
import type { AppDoorOptions } from "../../src/hub/engine/apps/open-apps.ts";
import { openV1Client } from "../support/clients/v1-client.ts";
import { openV2Client } from "../support/clients/v2-client.ts";
import type { TestClient } from "../support/clients/test-client.ts";
import { hasNats, type NatsServer, startNatsServer } from "../support/nats-server.ts";
import { until } from "../support/until.ts";
import { type Balancer, startBalancer } from "./balancer.ts";
import { createProxyClient, echoTool } from "../support/apps/proxy-client.ts";
import { type RunningProxy, startProxy } from "./start-proxy.ts";
import { openApp } from "../support/apps/test-app.ts";

let nats: NatsServer;
beforeAll(async () => {
  nats = await startNatsServer();
});
afterAll(() => nats[Symbol.asyncDispose]());

interface Instances extends AsyncDisposable {
  readonly all: readonly RunningProxy[];
  /** One address for all of them: each request goes to the next. */
  readonly balancer: Balancer;
}

let made = 0;
const keys = [new Secret("a key of this deployment and no other")];

async function startInstances(
  count: number,
  limits: Pick<Partial<AppDoorOptions>, "requestsPerSecond"> = {},
): Promise<Instances> {
  const prefix = `test${++made}`;
  const opened = await Promise.all(
    Array.from({ length: count }, async () => {
      const shared = await openSharedApps({ servers: [nats.url], prefix, keys }, silentLog);
      const proxy = await startProxy({
        openStore: () => shared.openStore(),
        openBus: () => shared.openBus(),
        watchBus: (metrics) => shared.watchBus(metrics),
        ...limits,
      });
      return { shared, proxy };
    }),
  );
  const all = opened.map(({ proxy }) => proxy);
  const balancer = await startBalancer(all.map(({ address }) => new URL(address)));
  return {
    all,
    balancer,
    async [Symbol.asyncDispose]() {
      await balancer[Symbol.asyncDispose]();
      for (const { proxy, shared } of opened) {
        await proxy[Symbol.asyncDispose]();
        await shared.close();
      }
    },
  };
}

const clients: readonly (readonly [string, (url: string) => Promise<TestClient>])[] = [
  ["SDK v1", (url) => openV1Client({ url })],
  ["SDK v2, 2026-07-28", (url) => openV2Client({ url }, { pin: "2026-07-28" })],
];

describe.skipIf(!hasNats).each(clients)(
  "three instances behind a balancer that knows no sessions, with %s",
  (_, connect) => {
    test("serve apps and clients as one", async () => {
      await using instances = await startInstances(3);
      const proxy = createProxyClient(instances.balancer.address);
      const session = await proxy.create();
      await using __ = await openApp(viaBalancer(instances, session.bridge_url));
      await using client = await connect(viaBalancer(instances, session.mcp_url));
      expect(await client.toolNames()).toEqual(["echo_text"]);
      for (let call = 0; call < 9; call++)
        expect(await client.call("echo_text", { text: `hi ${call}` })).toContain(`hi ${call}`);
      expect(client.errors).toEqual([]);
    });
  },
);

function viaBalancer({ balancer }: Instances, url: string): string {
  const own = new URL(balancer.address);
  const target = new URL(url);
  target.host = own.host;
  return target.href;
}

test.skipIf(!hasNats)(
  "a thousand apps behind the balancer answer, each to its own callers",
  async () => {
    await using instances = await startInstances(3);
    const proxy = createProxyClient(instances.balancer.address);
    await using apps = new AsyncDisposableStack();
    const answered = await inLanes(1000, 50, async (at) => {
      const session = await proxy.create();
      apps.use(
        await openApp(viaBalancer(instances, session.bridge_url), { tools: { echo_text: () => ({ app: at }) } }),
      );
      const own = { ...session, mcp_url: viaBalancer(instances, session.mcp_url) };
      // Twice, since each request goes to the next instance.
      for (let call = 0; call < 2; call++) {
        const { body } = await proxy.rpc(own, "tools/call", { name: "echo_text", arguments: { text: "" } });
        expect(body.result).toMatchObject({ structuredContent: { app: at } });
      }
    });
    expect(answered).toBe(1000);
  },
  120_000,
);

test.skipIf(!hasNats)("a limit holds for all instances together", async () => {
  await using instances = await startInstances(2, { requestsPerSecond: 5 });
  const [first, second] = instances.all;
  const session = await first!.create();
  const elsewhere = { ...session, mcp_url: at(second!, session.mcp_url) };
  const ask = async () => (await second!.rpc(elsewhere, "ping")).status;
  expect(await ask()).toBe(200);
  for (let count = 0; count < 9; count++) expect((await first!.rpc(session, "ping")).status).toBe(200);
  // The second one has taken one of its own ten.
  await expect.poll(ask).toBe(429);
});

/** Does the work for each number below the count, so many at a time. Returns how often it was done. */
async function inLanes(count: number, lanes: number, work: (at: number) => Promise<void>): Promise<number> {
  let next = 0;
  let done = 0;
  await Promise.all(
    Array.from({ length: lanes }, async () => {
      while (next < count) {
        await work(next++);
        done++;
      }
    }),
  );
  return done;
}

describe.skipIf(!hasNats)("between instances", () => {
  test("progress and cancels cross", async () => {
    await using instances = await startInstances(2);
    const [first, second] = instances.all;
    const session = await first!.create();
    await using app = await openApp(session.bridge_url, {
      tools: {
        echo_text: (_, { request_id }, own) => own.send({ type: "invoke_progress", request_id, progress: 1, total: 3 }),
      },
    });
    await using client = await openV2Client({ url: at(second!, session.mcp_url) }, { pin: "2026-07-28" });
    const stop = new AbortController();
    const steps: number[] = [];
    const called = client.call("echo_text", {}, { onProgress: (step) => void steps.push(step), signal: stop.signal });
    await until(() => steps.length === 1);
    stop.abort();
    await expect(called).rejects.toThrow(/abort/i);
    await app.wait("cancel_tool");
  });

  test("a result of 50 MB and arguments of 2 MB cross", async () => {
    await using instances = await startInstances(2);
    const [first, second] = instances.all;
    const session = await first!.create();
    const big = "x".repeat(50_000_000);
    await using __ = await openApp(session.bridge_url, {
      tools: { echo_text: ({ text }) => ({ got: text.length, big }) },
    });
    const elsewhere = { ...session, mcp_url: at(second!, session.mcp_url) };
    const text = await second!.call(elsewhere, "echo_text", { text: "y".repeat(2 * 1024 * 1024) });
    expect([text.length > big.length, text.includes(`"got":${2 * 1024 * 1024}`)]).toEqual([true, true]);
  }, 60_000);

  test("a session without a bridge is reported at once", async () => {
    await using instances = await startInstances(2);
    const [first, second] = instances.all;
    const session = await first!.create();
    expect(await second!.call({ ...session, mcp_url: at(second!, session.mcp_url) }, "echo_text")).toContain(
      "Bridge is not connected",
    );
  });

  test("changed tools are seen by all, and a deleted session is gone everywhere", async () => {
    await using instances = await startInstances(2);
    const [first, second] = instances.all;
    const session = await first!.create();
    await using app = await openApp(session.bridge_url);
    const elsewhere = { ...session, mcp_url: at(second!, session.mcp_url) };
    const names = async (): Promise<string[]> => {
      const { body } = await second!.rpc(elsewhere, "tools/list");
      return body.result.tools.map(({ name }: { name: string }) => name);
    };
    expect(await names()).toEqual(["echo_text"]);
    const path = `/v1/chat/sessions/${session.mcpSessionId}`;
    const { status } = await first!.ask("PATCH", path, { tools: [{ ...echoTool, name: "other" }] });
    expect(status).toBe(200);
    await expect.poll(names).toEqual(["other"]);
    expect((await second!.ask("DELETE", `/v1/chat/sessions/${session.mcpSessionId}`)).status).toBeLessThan(300);
    expect((await app.closed).code).toBe(4410);
    await expect.poll(async () => (await first!.rpc(session, "tools/list")).status).toBe(404);
  });

  test("a second bridge at another instance replaces the first", async () => {
    await using instances = await startInstances(2);
    const [first, second] = instances.all;
    const session = await first!.create();
    await using old = await openApp(session.bridge_url);
    // Connected is not yet claimed: the other one could be first.
    await expect.poll(() => first!.call(session, "echo_text", { text: "first" })).toContain("first");
    await using __ = await openApp(at(second!, session.bridge_url), {
      tools: { echo_text: () => ({ from: "second" }) },
    });
    expect((await old.closed).code).toBe(4409);
    expect(await first!.call(session, "echo_text")).toContain("second");
  });
});

test.skipIf(!hasNats)(
  "the metrics of an instance show its connection, its bridges, and the calls to and from other instances",
  async () => {
    await using instances = await startInstances(2);
    const [first, second] = instances.all;
    const session = await first!.create();
    await using app = await openApp(session.bridge_url, { tools: { echo_text: () => undefined } });
    await using client = await openV2Client({ url: at(second!, session.mcp_url) }, { pin: "2026-07-28" });
    const stop = new AbortController();
    const called = client.call("echo_text", {}, { signal: stop.signal });
    await app.wait("invoke_tool");
    const usual = { connected: 1, usable: 1, reconnects_total: 0 };
    expect(await busMetrics(first!)).toEqual({ ...usual, bridges: 1, calls_sent: 0, calls_served: 1 });
    expect(await busMetrics(second!)).toEqual({ ...usual, bridges: 0, calls_sent: 1, calls_served: 0 });
    stop.abort();
    await expect(called).rejects.toThrow(/abort/i);
    await expect.poll(() => busMetrics(first!)).toMatchObject({ calls_served: 0 });
    expect(await busMetrics(second!)).toMatchObject({ calls_sent: 0 });
  },
);

async function busMetrics(proxy: RunningProxy): Promise<Record<string, number>> {
  const { text } = await proxy.ask("GET", "/metrics");
  const found = text.matchAll(/^clawport_app_bus_(\w+) (\d+)$/gm);
  return Object.fromEntries([...found].map(([, name, value]) => [name, Number(value)]));
}

/** The same path at another instance. */
function at(proxy: RunningProxy, url: string): string {
  const target = new URL(url);
  target.host = new URL(proxy.address).host;
  return target.href;
}
