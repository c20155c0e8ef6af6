import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openApp } from "../../src/app/index.ts";
import { clawport, makePlace, startHub } from "../support/cli/run-clawport.ts";
import { freePort } from "../support/free-port.ts";
import { hasNats, startNatsServer } from "../support/nats-server.ts";
import { startBalancer } from "./balancer.ts";
import { createProxyClient } from "../support/apps/proxy-client.ts";
import { startProxyProcess } from "./proxy-process.ts";

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test.skipIf(!hasNats)(
  "a rolling restart of all instances under load fails no call",
  async () => {
    await using nats = await startNatsServer();
    await using place = await makePlace();
    const ports = await Promise.all([freePort(), freePort(), freePort()]);
    const start = (port: number) =>
      startProxyProcess(
        place,
        "--nats",
        nats.url,
        "--port",
        String(port),
        "--drain",
        "10",
        "--requests-per-second",
        "10000",
      );
    const instances = await Promise.all(ports.map(start));
    await using balancer = await startBalancer(
      ports.map((port) => new URL(`http://127.0.0.1:${port}`)),
      true,
    );
    const apps = await Promise.all(
      Array.from({ length: 6 }, () =>
        openApp({
          proxyUrl: balancer.address,
          tools: [
            {
              name: "work",
              description: "Takes a moment.",
              inputSchema: { type: "object" },
              async run(args: unknown) {
                await pause(50);
                return `did ${(args as { id: number }).id}`;
              },
            },
          ],
        }),
      ),
    );
    const client = createProxyClient(balancer.address);
    const failures: string[] = [];
    let calls = 0;
    let isOver = false;
    const worker = async (at: number): Promise<void> => {
      while (!isOver) {
        const id = ++calls;
        const session = { mcp_url: `${balancer.address}/v1/mcp/${apps[at % apps.length]!.session.id}` };
        const answer = await client
          .rpc(session as never, "tools/call", { name: "work", arguments: { id } }, { connection: "close" })
          .then(({ text }) => text, String);
        if (!answer.includes(`did ${id}`)) failures.push(answer.slice(0, 300));
      }
    };
    // An app is connected a moment before every instance can reach it.
    for (const { session } of apps)
      await expect
        .poll(async () => {
          const own = { mcp_url: `${balancer.address}/v1/mcp/${session.id}` };
          return client.call(own as never, "work", { id: 0 });
        })
        .toBe("did 0");
    const load = Promise.all(Array.from({ length: 8 }, (_, at) => worker(at)));
    for (const [at, port] of ports.entries()) {
      instances[at]!.child.kill("SIGTERM");
      expect(await instances[at]!.ended).toBe(0);
      instances[at] = await start(port);
      // The next one stops only when calls are made again.
      const made = calls;
      await expect.poll(() => calls, { timeout: 30_000 }).toBeGreaterThan(made + 16);
    }
    const listed = JSON.parse((await clawport(place, "proxy", "instances", "--nats", nats.url, "--json")).out);
    expect(listed.instances).toHaveLength(3);
    const { sessions } = JSON.parse((await clawport(place, "proxy", "sessions", "--nats", nats.url, "--json")).out);
    expect(sessions).toHaveLength(6);
    isOver = true;
    await load;
    for (const app of apps) await app.close();
    for (const instance of instances) await instance[Symbol.asyncDispose]();
    expect(failures).toEqual([]);
    expect(calls).toBeGreaterThan(50);
  },
  120_000,
);

test.skipIf(!hasNats)(
  "a hub that stops hands its apps over to another instance",
  async () => {
    await using nats = await startNatsServer();
    await using place = await makePlace();
    const [hubPort, proxyPort] = await Promise.all([freePort(), freePort()]);
    const apps = { serve: true, port: hubPort, nats: { url: nats.url, drain: 10 } };
    await mkdir(place.home, { mode: 0o700 });
    await writeFile(join(place.home, "clawport.json5"), JSON.stringify({ apps }));
    const hub = await startHub(place, "--port", "0");
    await using balancer = await startBalancer(
      [hubPort, proxyPort].map((port) => new URL(`http://127.0.0.1:${port}`)),
      true,
    );
    const run = (args: unknown) => pause(300).then(() => `did ${(args as { id: number }).id}`);
    const app = await openApp({
      proxyUrl: balancer.address,
      tools: [{ name: "work", description: "Takes a moment.", inputSchema: { type: "object" }, run }],
    });
    await using __ = await startProxyProcess(place, "--nats", nats.url, "--port", String(proxyPort));
    const client = createProxyClient(`http://127.0.0.1:${proxyPort}`);
    const session = { mcp_url: `http://127.0.0.1:${proxyPort}/v1/mcp/${app.session.id}` };
    const work = (id: number) => client.call(session as never, "work", { id });
    expect(await work(1)).toBe("did 1");
    const under = work(2);
    hub.child.kill("SIGTERM");
    expect(await under).toBe("did 2");
    expect(await hub.ended).toBe(0);
    expect(await work(3)).toBe("did 3");
    await app.close();
  },
  60_000,
);
