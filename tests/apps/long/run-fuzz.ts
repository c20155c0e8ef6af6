import { once } from "node:events";
import { Agent, request } from "node:http";
import { createRandom } from "../../support/random.ts";
import { openApp, type TestApp } from "../../support/apps/test-app.ts";
import { oddMessage, oddRequest } from "./odd.ts";
import { type MeasuredProxy, startMeasured } from "./start-measured.ts";

export interface FuzzReport {
  readonly fromApps: number;
  readonly fromClients: number;
  readonly bridgesOpened: number;
  readonly callsEnded: number;
  readonly statuses: readonly number[];
  readonly served: number;
  /** Megabytes after a fifth of the messages, at the end, and at the peak. */
  readonly memory: readonly [early: number, late: number, peak: number];
}

/** Sends odd messages as app (four in five) and as client at the same time, while a good app must be served. */
export async function runFuzz(messages: number, seed: number): Promise<FuzzReport> {
  await using measured = await startMeasured();
  const apps = Math.round(messages * 0.8);
  const clients = messages - apps;
  const early = { done: 0, memory: 0 };
  const note = (sent: number) => {
    early.done += sent;
    if (early.memory === 0 && early.done >= messages / 5) early.memory = measured.memory();
  };
  const [app, client] = await Promise.all([
    fuzzAsApp(measured, apps, seed, note),
    fuzzAsClient(measured, clients, seed + 1, note),
  ]);
  await measured.serveGood();
  const memory = [early.memory, measured.memory(), measured.peak()] as const;
  return { fromApps: apps, fromClients: clients, ...app, statuses: client, served: measured.served, memory };
}

async function fuzzAsApp(measured: MeasuredProxy, messages: number, seed: number, note: (sent: number) => void) {
  const { proxy } = measured;
  const session = await proxy.create({ ttl_seconds: 86_400 });
  const random = createRandom(seed);
  const calls: Promise<unknown>[] = [];
  let app: TestApp | undefined;
  let bridgesOpened = 0;
  let callsEnded = 0;
  for (let sent = 0; sent < messages; sent++) {
    if (app?.ws.readyState !== 1) {
      app = await openApp(session.bridge_url, { tools: {} });
      bridgesOpened++;
    }
    const { request_id = "none" } = app.messages.at(-1) ?? {};
    app.send(oddMessage(random, session, request_id));
    if (sent % 50 === 0) calls.push(proxy.call(session, "echo_text").then(() => callsEnded++));
    // Yields now and then, so that a closed bridge is noticed.
    if (sent % 20 === 0) await new Promise(setImmediate);
    if (sent % 500 !== 0) continue;
    note(500);
    await measured.serveGood();
  }
  app?.ws.terminate();
  // Every caller must get a response, whatever the app did.
  await Promise.all(calls);
  return { bridgesOpened, callsEnded };
}

async function fuzzAsClient(measured: MeasuredProxy, requests: number, seed: number, note: (sent: number) => void) {
  const { proxy } = measured;
  const session = await proxy.create({ ttl_seconds: 86_400 });
  await using _ = await openApp(session.bridge_url);
  const random = createRandom(seed);
  const statuses = new Set<number>();
  const agent = new Agent({ keepAlive: true, maxSockets: 20 });
  for (let sent = 0; sent < requests; sent += 20) {
    const batch = Array.from({ length: 20 }, () => oddRequest(random, session));
    for (const status of await Promise.all(batch.map((odd) => statusOf(agent, proxy.address, odd))))
      statuses.add(status);
    note(20);
    if (sent % 1000 === 0) await measured.serveGood();
  }
  agent.destroy();
  return [...statuses].sort((one, other) => one - other);
}

/** Uses Node's own client, which costs less than fetch. */
async function statusOf(agent: Agent, address: string, odd: ReturnType<typeof oddRequest>): Promise<number> {
  const { method, path, body } = odd;
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  const sent = request(new URL(path, address), { agent, method, headers });
  sent.end(method === "POST" ? body : undefined);
  const [response] = await once(sent, "response");
  response.resume();
  await once(response, "end");
  return response.statusCode;
}
