import type { Config } from "../core/config/config-schema.ts";
import { isFault } from "../core/fault.ts";
import type { Home } from "../core/files/home.ts";
import type { LiveLog } from "../core/log.ts";
import { findHub, type RunningHub } from "../hub/control/find-hub.ts";
import type { HubControl } from "../hub/control/hub-control.ts";
import type { RemoteControl } from "../hub/control/remote-control.ts";
import type { Engine } from "../hub/engine/engine.ts";
import { claimHub, writeHubRecord } from "../hub/hub-record.ts";
import { defineServers } from "../sources/servers/definition.ts";
import { serverAddress } from "../sources/servers/server-status.ts";

/** Which process keeps the servers of this state folder: this one, or a hub that runs beside it. */
export type Keeper =
  | { readonly kind: "here"; release(): Promise<void> }
  | {
      readonly kind: "hub";
      /** With the key of a relay: its calls are handed on to the hub. */
      readonly hub: RunningHub;
      readonly control: RemoteControl;
      /** The addresses of its servers, by name. */
      readonly servers: ReadonlyMap<string, string>;
      release(): Promise<void>;
    }
  /** A hub that can't be asked: one of an earlier version. All servers run here until it is started again. */
  | { readonly kind: "apart"; readonly problem: string; release(): Promise<void> };

export interface KeeperOptions {
  readonly home: Home;
  readonly log: LiveLog;
}

/** Makes this process the hub of its state folder, unless another one is. */
export async function findKeeper(options: KeeperOptions): Promise<Keeper> {
  const { home, log } = options;
  try {
    return { kind: "here", ...(await claimHub(home, log)) };
  } catch (error) {
    // A node without an address can't be used as a hub.
    if (!isFault(error, "conflict") || !("address" in Object(error.detail))) throw error;
  }
  const found = await Promise.all([findHub(home, "relay"), findHub(home, "control")]).catch((error: unknown) => {
    if (!isFault(error, "unauthorized")) throw error;
    return error.message;
  });
  if (typeof found === "string") return { kind: "apart", problem: found, release: () => Promise.resolve() };
  const [hub, controlled] = found;
  // It ended between the two looks.
  if (hub === undefined || controlled === undefined) return findKeeper(options);
  const { createRemoteControl } = await import("../hub/control/remote-control.ts");
  const control = createRemoteControl(controlled, { log });
  try {
    const servers = new Map((await control.servers.list()).map(({ name, address }) => [name, address]));
    return { kind: "hub", hub, control, servers, release: async () => control.close() };
  } catch (error) {
    control.close();
    throw error;
  }
}

/** The servers that the hub has as well. One that is told who asks gets that from us: the hub knows neither agent nor sender. */
function sharedServers(config: Config, keeper: Keeper): ReadonlySet<string> {
  if (keeper.kind !== "hub") return new Set();
  const shared = defineServers(config).definitions.filter(
    (definition) =>
      definition.enabled && !definition.identity && keeper.servers.get(definition.name) === serverAddress(definition),
  );
  return new Set(shared.map(({ name }) => name));
}

/** The servers that the hub has as well are used through it; the others run here. */
export function useHub(config: Config, keeper: Keeper): Config {
  if (keeper.kind !== "hub") return config;
  const { hub } = keeper;
  const shared = sharedServers(config, keeper);
  const servers = Object.entries(config.servers).map(([name, server]) => {
    if (!shared.has(name)) return [name, server] as const;
    const { command: _, apiKey: __, auth: ___, ...rest } = server;
    return [
      name,
      {
        ...rest,
        transport: "http",
        url: `${hub.address}/mcp/${encodeURIComponent(name)}`,
        socket: hub.socket,
        args: [],
        env: {},
        tls: {},
        headers: { authorization: `Bearer ${hub.key.reveal()}` },
      } as const,
    ] as const;
  });
  return { ...config, servers: Object.fromEntries(servers) };
}

/** Where the hub keeps a server, signing in to it and connecting it is the hub's business, too. */
export function controlWith(control: HubControl, keeper: Keeper, config: Config): HubControl {
  if (keeper.kind !== "hub") return control;
  const { servers, signIns: own } = control;
  const { servers: theirServers, signIns: theirs } = keeper.control;
  const shared = sharedServers(config, keeper);
  const at = (server: string) => (shared.has(server) ? theirs : own);
  return {
    ...control,
    servers: {
      ...servers,
      async connect(name) {
        if (shared.has(name)) await theirServers.connect(name);
        return servers.connect(name);
      },
      async refresh(name) {
        const named = name === undefined ? [...shared] : shared.has(name) ? [name] : [];
        await Promise.allSettled(named.map((each) => theirServers.refresh(each)));
        return servers.refresh(name);
      },
      logs: (name) => (shared.has(name) ? theirServers : servers).logs(name),
    },
    signIns: {
      wayOf: (server) => at(server).wayOf(server),
      begin: (server, request) => at(server).begin(server, request),
      finish: (server, query, pasted) => at(server).finish(server, query, pasted),
      cancel: (server, state) => at(server).cancel(server, state),
      isWaiting: (server, state) => at(server).isWaiting(server, state),
      beginDevice: (server, request) => at(server).beginDevice(server, request),
      awaitDevice: (server, userCode) => at(server).awaitDevice(server, userCode),
      cancelDevice: (server, userCode) => at(server).cancelDevice(server, userCode),
      logout: (server) => at(server).logout(server),
      status: (server) => at(server).status(server),
      async list() {
        const [here, there] = await Promise.all([own.list(), theirs.list()]);
        return [
          ...here.filter(({ server }) => !shared.has(server)),
          ...there.filter(({ server }) => shared.has(server)),
        ];
      },
    },
  };
}

/** For people. */
export function keeperText(keeper: Keeper): string {
  if (keeper.kind === "here") return `The servers are kept by OpenClaw's gateway (PID ${process.pid}).`;
  if (keeper.kind === "apart") return `OpenClaw's gateway (PID ${process.pid}) runs its own servers. ${keeper.problem}`;
  return `The servers are kept by the hub at ${keeper.hub.address}, as far as it has them; OpenClaw's gateway (PID ${process.pid}) keeps the others.`;
}

/** So that commands, and a hub that is started later, find the servers here. */
export async function recordHub(home: Home, http: Engine["http"], version: string): Promise<void> {
  if (http === undefined) throw new TypeError("the plugin's engine has an HTTP door");
  await writeHubRecord(home, {
    address: http.address,
    socket: http.socket,
    version,
    startedAt: new Date().toISOString(),
    host: "openclaw",
  });
}
