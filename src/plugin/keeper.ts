import type { Config } from "../core/config/config-schema.ts";
import { isFault } from "../core/fault.ts";
import type { Home } from "../core/files/home.ts";
import type { LiveLog } from "../core/log.ts";
import type { Env } from "../core/process/child-env.ts";
import { findHub, type RunningHub } from "../hub/control/find-hub.ts";
import { claimHub } from "../hub/hub-record.ts";
import { defineServers } from "../sources/servers/definition.ts";
import { serverAddress } from "../sources/servers/server-status.ts";

/** Which process keeps the servers of this state folder: this one, or a hub that runs beside it. */
export type Keeper =
  | { readonly kind: "here"; release(): Promise<void> }
  | {
      readonly kind: "hub";
      readonly hub: RunningHub;
      /** The addresses of its servers, by name. */
      readonly servers: ReadonlyMap<string, string>;
    };

export interface KeeperOptions {
  readonly home: Home;
  readonly env: Env;
  readonly log: LiveLog;
}

/** Makes this process the hub of its state folder, unless another one is. */
export async function findKeeper(options: KeeperOptions): Promise<Keeper> {
  const { home, env, log } = options;
  try {
    return { kind: "here", ...(await claimHub(home, log)) };
  } catch (error) {
    if (!isFault(error, "conflict")) throw error;
  }
  const hub = await findHub({ env, log }, home);
  // It ended between the two looks.
  if (hub === undefined) return findKeeper(options);
  return { kind: "hub", hub, servers: await listServers(hub) };
}

async function listServers(hub: RunningHub): Promise<ReadonlyMap<string, string>> {
  const { createRemoteControl } = await import("../hub/control/remote-control.ts");
  const control = createRemoteControl(hub);
  try {
    return new Map((await control.servers.list()).map(({ name, address }) => [name, address]));
  } finally {
    control.close();
  }
}

/** The servers that the hub has as well are used through it; the others run here. */
export function useHub(config: Config, keeper: Keeper): Config {
  if (keeper.kind === "here") return config;
  const { hub, servers: theirs } = keeper;
  const { definitions } = defineServers(config);
  const shared = new Set(
    definitions.flatMap((definition) => {
      const isShared = definition.enabled && theirs.get(definition.name) === serverAddress(definition);
      return isShared ? [definition.name] : [];
    }),
  );
  const servers = Object.entries(config.servers).map(([name, server]) => {
    if (!shared.has(name)) return [name, server] as const;
    const { command: _, apiKey: __, auth: ___, ...rest } = server;
    return [
      name,
      {
        ...rest,
        transport: "http",
        url: `${hub.address}/mcp/${encodeURIComponent(name)}`,
        args: [],
        env: {},
        tls: {},
        headers: { authorization: `Bearer ${hub.token.reveal()}` },
      } as const,
    ] as const;
  });
  return { ...config, servers: Object.fromEntries(servers) };
}

/** For people. */
export function keeperText(keeper: Keeper): string {
  if (keeper.kind === "here") return `The servers are kept by OpenClaw's gateway (PID ${process.pid}).`;
  return `The servers are kept by the hub at ${keeper.hub.address}, as far as it has them; OpenClaw's gateway (PID ${process.pid}) keeps the others.`;
}
