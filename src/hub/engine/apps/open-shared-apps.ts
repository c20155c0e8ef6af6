import { Fault } from "../../../core/fault.ts";
import type { Log } from "../../../core/log.ts";
import type { Metrics } from "../../../core/telemetry/metrics.ts";
import type { Env } from "../../../core/process/child-env.ts";
import { Secret } from "../../../core/secrets/secret.ts";
import type { InstanceFacts } from "../../../sources/apps/nats/bus-messages.ts";
import type { NatsBus } from "../../../sources/apps/nats/nats-bus.ts";
import type { NatsOptions } from "../../../sources/apps/nats/nats-connection.ts";
import type { StoreHealth } from "../../../sources/apps/nats/watch-health.ts";
import type { SessionStore } from "../../../sources/apps/store/session-store.ts";

/** Sessions and calls that several instances of the proxy share. */
export interface SharedApps {
  openStore(): Promise<SessionStore>;
  openBus(): Promise<NatsBus>;
  /** The instances that are running. */
  instances(): Promise<readonly InstanceFacts[]>;
  /** Why calls can't cross to other instances, or sessions not be stored, right now; undefined if they can. */
  problem(): string | undefined;
  /** Adds the metrics of the bus; returns a function that removes them. */
  watchBus(metrics: Metrics): () => void;
  close(): Promise<void>;
}

/** Loaded only where NATS is configured: one machine needs none of it. */
export async function openSharedApps(options: NatsOptions, log: Log): Promise<SharedApps> {
  const { openNatsLinks } = await import("../../../sources/apps/nats/nats-connection.ts");
  const { findInstances, openNatsBus } = await import("../../../sources/apps/nats/nats-bus.ts");
  const { openNatsSessionStore } = await import("../../../sources/apps/nats/nats-session-store.ts");
  const { watchHealth } = await import("../../../sources/apps/nats/watch-health.ts");
  const links = await openNatsLinks(options, log);
  let health: StoreHealth | undefined;
  let bus: NatsBus | undefined;
  return {
    openStore: () => openNatsSessionStore(links, log),
    async openBus() {
      bus = await openNatsBus(links, log);
      health = watchHealth(links);
      return bus;
    },
    instances: () => findInstances(links),
    problem: () => (links.isConnected() ? health?.problem() : "not connected to NATS"),
    watchBus(metrics) {
      const name = (end: string) => `clawport_app_bus_${end}`;
      const stops = [
        metrics.watch({ name: name("connected"), help: "Whether this instance is connected to NATS." }, () => [
          [{}, links.isConnected() ? 1 : 0],
        ]),
        metrics.watch({ name: name("usable"), help: "Whether sessions can be stored in NATS." }, () => [
          [{}, links.isConnected() && health?.problem() === undefined ? 1 : 0],
        ]),
        metrics.watch(
          {
            name: name("reconnects_total"),
            help: "Connections to NATS that were lost and came back.",
            type: "counter",
          },
          () => [[{}, links.reconnects]],
        ),
        ...gauges.map(([end, help, count]) =>
          metrics.watch({ name: name(end), help }, () => [[{}, bus === undefined ? 0 : count(bus.facts())]]),
        ),
      ];
      return () => {
        for (const stop of stops) stop();
      };
    },
    async close() {
      health?.close();
      await links[Symbol.asyncDispose]();
    },
  };
}

const gauges: readonly (readonly [end: string, help: string, count: (facts: InstanceFacts) => number])[] = [
  ["bridges", "Bridges that this instance holds for all instances.", ({ bridges }) => bridges],
  ["calls_sent", "Calls to other instances that wait for their outcome.", ({ sent }) => sent],
  ["calls_served", "Calls that run here for other instances.", ({ served }) => served],
];

/** As the configuration and the flags name it. */
export interface NatsSettings {
  readonly url: string;
  readonly prefix?: string | undefined;
  readonly credentials?: string | undefined;
  readonly ca?: string | undefined;
}

/** From the configuration, where there is one, otherwise from the environment. */
export function natsOptionsOf(configured: NatsSettings | undefined, env: Env): NatsOptions | undefined {
  const url = configured?.url ?? (env.OPENCLAW_PROXY_NATS_URL?.trim() || undefined);
  if (url === undefined) return undefined;
  return {
    servers: url.split(",").map((each) => each.trim()),
    prefix: configured?.prefix ?? (env.OPENCLAW_PROXY_NATS_PREFIX || "clawport"),
    credentialsFile: configured?.credentials ?? (env.OPENCLAW_PROXY_NATS_CREDENTIALS || undefined),
    caFile: configured?.ca ?? (env.OPENCLAW_PROXY_NATS_CA || undefined),
    keys: sealKeys(env),
    acceptUnsealed: parseUnsealed(env.OPENCLAW_PROXY_NATS_UNSEALED),
  };
}

/**
 * What only the instances of one deployment know. Without a key of its own it is what they must have in common anyway, the
 * tokens: no one on NATS alone has them.
 */
function sealKeys(env: Env): readonly Secret[] {
  const given = (env.OPENCLAW_PROXY_NATS_KEY ?? "")
    .split(",")
    .map((each) => each.trim())
    .filter((each) => each !== "");
  if (given.some((key) => key.length < shortestKey))
    throw new Fault(
      "config",
      `A key in OPENCLAW_PROXY_NATS_KEY needs at least ${shortestKey} characters. Run \`openssl rand -hex 32\` to make one.`,
    );
  if (given.length > 0) return given.map((key) => new Secret(key));
  const tokens = [env.OPENCLAW_PROXY_APP_TOKEN, env.OPENCLAW_PROXY_OPENCLAW_TOKEN].map((token) => token?.trim() ?? "");
  return tokens.every((token) => token === "") ? [] : [new Secret(JSON.stringify(tokens))];
}

const shortestKey = 32;

function parseUnsealed(text = ""): boolean {
  if (text === "" || text === "accept") return text === "accept";
  throw new Fault("config", "OPENCLAW_PROXY_NATS_UNSEALED must be empty or `accept`.");
}
