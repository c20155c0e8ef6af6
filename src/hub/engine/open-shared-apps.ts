import type { Log } from "../../core/log.ts";
import type { Metrics } from "../../core/telemetry/metrics.ts";
import type { Env } from "../../core/process/child-env.ts";
import type { InstanceFacts } from "../../sources/apps/nats/bus-messages.ts";
import type { NatsBus } from "../../sources/apps/nats/nats-bus.ts";
import type { NatsOptions } from "../../sources/apps/nats/nats-connection.ts";
import type { SessionStore } from "../../sources/apps/store/session-store.ts";

/** Sessions and calls that several instances of the proxy share. */
export interface SharedApps {
  openStore(): Promise<SessionStore>;
  openBus(): Promise<NatsBus>;
  /** The instances that are running. */
  instances(): Promise<readonly InstanceFacts[]>;
  /** Whether calls can cross to other instances right now. */
  isReady(): boolean;
  /** Adds the metrics of the bus; returns a function that removes them. */
  watchBus(metrics: Metrics): () => void;
  close(): Promise<void>;
}

/** Loaded only where NATS is configured: one machine needs none of it. */
export async function openSharedApps(options: NatsOptions, log: Log): Promise<SharedApps> {
  const { openNatsLinks } = await import("../../sources/apps/nats/nats-connection.ts");
  const { findInstances, openNatsBus } = await import("../../sources/apps/nats/nats-bus.ts");
  const { openNatsSessionStore } = await import("../../sources/apps/nats/nats-session-store.ts");
  const links = await openNatsLinks(options, log);
  let bus: NatsBus | undefined;
  return {
    openStore: () => openNatsSessionStore(links, log),
    openBus: async () => (bus = await openNatsBus(links, log)),
    instances: () => findInstances(links),
    isReady: () => links.isConnected(),
    watchBus(metrics) {
      const name = (end: string) => `clawport_app_bus_${end}`;
      const stops = [
        metrics.watch({ name: name("connected"), help: "Whether this instance is connected to NATS." }, () => [
          [{}, links.isConnected() ? 1 : 0],
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
    close: async () => links[Symbol.asyncDispose](),
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
  };
}
