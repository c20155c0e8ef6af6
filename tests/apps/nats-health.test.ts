import { jetstreamManager } from "@nats-io/jetstream";
import { Kvm } from "@nats-io/kv";
import { connect } from "@nats-io/transport-node";
import { expect, test, vi } from "vitest";
import { openApp as openLibraryApp } from "../../src/app/index.ts";
import { hasNats, startNatsCluster, startNatsServer } from "../support/nats-server.ts";
import { startInstance } from "./start-instance.ts";
import { openSocket } from "../support/apps/test-app.ts";

vi.setConfig({ testTimeout: 120_000 });

const within = { timeout: 60_000, interval: 250 };

test.skipIf(!hasNats)(
  "an instance whose bucket is gone is not ready, says what to do, and is ready again with a new one",
  async () => {
    await using server = await startNatsServer();
    await using proxy = await startInstance({ servers: [server.url], prefix: "lost" });
    const ready = async () => (await proxy.ask("GET", "/ready")).status;
    expect(await ready()).toBe(200);
    const { mcpSessionId } = await proxy.create();
    const admin = await connect({ servers: server.url.replace("nats://", "") });
    await (await jetstreamManager(admin)).streams.delete("KV_lost-sessions");
    await expect.poll(ready, within).toBe(503);
    const { text } = await proxy.ask("GET", "/ready");
    expect(text).toBe(
      "the bucket lost-sessions is missing in NATS: restore it, or restart one instance, which makes an empty one",
    );
    const refused = await proxy.ask("POST", "/v1/chat/sessions", {});
    expect([refused.status, refused.headers.get("retry-after"), refused.body.code]).toEqual([503, "1", "unavailable"]);
    expect(refused.body.detail).toContain("the bucket lost-sessions is missing");
    await new Kvm(admin).create("lost-sessions", { history: 1 });
    await expect.poll(ready, within).toBe(200);
    expect((await proxy.create()).mcpSessionId).toMatch(/./);
    // What the instance still knows is stored again.
    await using fresh = await startInstance({ servers: [server.url], prefix: "lost" });
    const found = async () => (await fresh.ask("POST", `/v1/mcp/${mcpSessionId}`, {})).status;
    await expect.poll(found, within).not.toBe(404);
    await admin.close();
  },
);

test.skipIf(!hasNats)(
  "with two of three NATS servers down, instances say so, and apps come back by themselves",
  async () => {
    const cluster = await startNatsCluster();
    await using _ = {
      [Symbol.asyncDispose]: async () => void (await Promise.all(cluster.map((each) => each[Symbol.asyncDispose]()))),
    };
    const servers = cluster.map(({ url }) => url);
    await using proxy = await startInstance({ servers, prefix: "quorum" });
    const session = await proxy.create();
    const ready = async () => (await proxy.ask("GET", "/ready")).status;
    expect(await ready()).toBe(200);

    for (const each of cluster.slice(1)) await each.kill();
    // Right away, while the instance may not know yet: both mean that the app should try again.
    const socket = openSocket(session.bridge_url, {});
    const ended = new Promise<number>((resolve) => {
      socket.on("close", resolve).on("error", () => {});
      socket.on("unexpected-response", (_request, response) => resolve(response.statusCode ?? 0));
    });
    expect([1013, 503]).toContain(await ended);
    await expect.poll(ready, within).toBe(503);
    const refused = await proxy.ask("POST", "/v1/chat/sessions", {});
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "1"]);
    expect(refused.body.detail).toMatch(/NATS can't|not connected to NATS/);

    const opening = openLibraryApp({ proxyUrl: proxy.address, tools: [] });
    for (const each of cluster.slice(1)) await each.restart();
    await expect.poll(ready, within).toBe(200);
    const app = await opening;
    await expect.poll(() => app.isConnected, within).toBe(true);
    await app.close();
  },
);
