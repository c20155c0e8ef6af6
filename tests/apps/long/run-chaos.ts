import { type App, openApp } from "../../../src/app/index.ts";
import { makePlace, type Running } from "../../support/cli/run-clawport.ts";
import { createRandom } from "../../support/random.ts";
import { freePort } from "../../support/free-port.ts";
import { startNatsCluster } from "../../support/nats-server.ts";
import { startBalancer } from "../balancer.ts";
import { startProxyProcess } from "../proxy-process.ts";

export interface ChaosReport {
  readonly calls: number;
  readonly faults: Readonly<Record<string, number>>;
  /** How many calls ended in which way. */
  readonly outcomes: Readonly<Record<string, number>>;
  /** Calls that an app ran more than once. */
  readonly duplicates: number;
  /** Calls that succeeded although no app ran them. */
  readonly falseSuccesses: number;
  /** Calls without an answer within their deadline. */
  readonly unanswered: number;
  /** Milliseconds from each fault until calls succeed again. */
  readonly recovery: { readonly p50: number; readonly p95: number; readonly most: number };
}

type Instance = Running<{ readonly address: string; readonly port: number }>;

const toolTimeoutSeconds = 8;
/** Beyond the deadline of the proxy itself. */
const patienceMs = (toolTimeoutSeconds + 4) * 1000;

/**
 * Three instances and three NATS nodes under load, with random kills, stops and cuts. Every call has an id of its own, and
 * the apps count how often they ran it.
 */
export async function runChaos(seconds: number, seed: number): Promise<ChaosReport> {
  const random = createRandom(seed);
  const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
  const nodes = await startNatsCluster();
  await using place = await makePlace();
  const ports = await Promise.all([freePort(), freePort(), freePort()]);
  const addresses = nodes.map(({ url }) => url).join(",");
  const env = {
    ...place.env,
    OPENCLAW_PROXY_TOOL_TIMEOUT_SECONDS: String(toolTimeoutSeconds),
    OPENCLAW_PROXY_NATS_KEY: "chaos".repeat(10),
  };
  const startInstance = (port: number): Promise<Instance> =>
    startProxyProcess(
      { ...place, env },
      "--nats",
      addresses,
      "--port",
      String(port),
      "--requests-per-second=100000",
      "--heartbeat=2",
    );
  const instances = await Promise.all(ports.map(startInstance));
  const balancer = await startBalancer(ports.map((port) => new URL(`http://127.0.0.1:${port}`)));

  const runs = new Map<string, number>();
  const apps: App[] = await Promise.all(
    Array.from({ length: 12 }, (_, at) =>
      openApp({
        proxyUrl: balancer.address,
        deviceId: `device-${at}`,
        deviceName: "chaos",
        appVersion: "1",
        chatId: `chat-${at}`,
        heartbeatSeconds: 2,
        tools: [
          {
            name: "run",
            description: "Counts.",
            inputSchema: { type: "object" },
            run: async (args: unknown) => {
              const { id } = args as { id: string };
              runs.set(id, (runs.get(id) ?? 0) + 1);
              await pause(random.int(30));
              return `ran ${id}`;
            },
          },
        ],
      }),
    ),
  );

  const outcomes: Record<string, number> = {};
  const faults: Record<string, number> = {};
  const recoveries: number[] = [];
  let calls = 0;
  let unanswered = 0;
  let falseSuccesses = 0;
  const until = Date.now() + seconds * 1000;
  let isOver = false;
  /** For each app, when the last call began that it answered. */
  const answered = apps.map(() => 0);

  const caller = async (): Promise<void> => {
    while (!isOver) {
      const at = random.int(apps.length);
      const app = apps[at]!;
      const id = `c${++calls}`;
      const began = Date.now();
      const outcome = await callOnce(balancer.address, app.session.id, id);
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
      if (outcome === "no answer") unanswered++;
      if (outcome === "ok") {
        answered[at] = Math.max(answered[at]!, began);
        if (!runs.has(id)) falseSuccesses++;
      }
      await pause(5);
    }
  };

  const trouble = async (): Promise<void> => {
    while (Date.now() < until) {
      await pause(1500 + random.int(1500));
      const began = Date.now();
      const { kind, over } = makeTrouble();
      faults[kind] = (faults[kind] ?? 0) + 1;
      // Back in service: every app has answered a call that began after the fault.
      while (answered.some((time) => time <= began) && Date.now() - began < 60_000) await pause(20);
      recoveries.push(Date.now() - began);
      await over;
    }
    isOver = true;
  };

  await Promise.all([trouble(), ...Array.from({ length: 12 }, caller)]);
  for (const app of apps) await app.close().catch(() => {});
  for (const instance of instances) await instance[Symbol.asyncDispose]();
  await balancer[Symbol.asyncDispose]();
  for (const node of nodes) await node[Symbol.asyncDispose]();
  recoveries.sort((a, b) => a - b);
  const at = (share: number): number =>
    recoveries[Math.min(recoveries.length - 1, Math.floor(recoveries.length * share))] ?? 0;
  return {
    calls,
    faults,
    outcomes,
    duplicates: [...runs.values()].filter((count) => count > 1).length,
    falseSuccesses,
    unanswered,
    recovery: { p50: at(0.5), p95: at(0.95), most: recoveries.at(-1) ?? 0 },
  };

  /** Makes a fault, and mends it some time later. */
  function makeTrouble(): { readonly kind: string; readonly over: Promise<unknown> } {
    const which = random.int(3);
    const { child, ended } = instances[which]!;
    const node = nodes[which]!;
    switch (random.int(4)) {
      case 0:
        child.kill("SIGKILL");
        return { kind: "instance killed", over: ended.then(() => startAgain(which)) };
      case 1:
        child.kill("SIGSTOP");
        return { kind: "instance stopped", over: pause(300 + random.int(2500)).then(() => child.kill("SIGCONT")) };
      case 2: {
        const killed = node.kill();
        return {
          kind: "NATS node killed",
          over: killed.then(() => pause(random.int(1500))).then(() => node.restart()),
        };
      }
      default:
        balancer.cut(4);
        return { kind: "sockets cut", over: Promise.resolve() };
    }
  }

  async function startAgain(which: number): Promise<void> {
    await pause(random.int(1000));
    instances[which] = await startInstance(ports[which]!);
  }
}

async function callOnce(address: string, session: string, id: string): Promise<string> {
  try {
    const response = await fetch(`${address}/v1/mcp/${session}`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        connection: "close",
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "run", arguments: { id } } }),
      signal: AbortSignal.timeout(patienceMs),
    });
    const text = await response.text();
    if (text.includes(`ran ${id}`)) return "ok";
    if (text.includes("unknown: check before")) return "outcome unknown";
    if (text.includes("Bridge is not connected")) return "no bridge";
    if (text.includes("has not seen")) return "not sent";
    return `${response.status}: ${text.slice(0, 120).replaceAll(/\d{2,}/g, "#")}`;
  } catch (error) {
    return error instanceof Error && error.name === "TimeoutError" ? "no answer" : "connection lost";
  }
}
