import { isUsedByAgents } from "../core/config/agent-servers-config.ts";
import type { Config } from "../core/config/config-schema.ts";
import { parseConfig } from "../core/config/parse-config.ts";
import type { ServerConfig } from "../core/config/server-config.ts";
import { isFault } from "../core/fault.ts";
import type { Home } from "../core/files/home.ts";
import { hubAppsUrl } from "../core/http/hub-routes.ts";
import type { LiveLog } from "../core/log.ts";
import { findHub, type RunningHub } from "../hub/state/find-hub.ts";
import type { HubControl } from "../hub/control/verbs.ts";
import type { RemoteControl } from "../hub/control/remote-control.ts";
import type { Engine } from "../hub/engine/engine.ts";
import { claimHub, writeHubRecord } from "../hub/state/hub-record.ts";
import { defineServers } from "../sources/servers/definition.ts";
import { serverAddress } from "../sources/servers/server-status.ts";
import { appsName } from "./entries/published.ts";

/** Which process keeps the servers of this state folder: this one, or a hub that runs beside it. */
export type ServerOwner =
  | { readonly kind: "here"; release(): Promise<void> }
  | {
      readonly kind: "hub";
      /** With the key of a relay: its calls are handed on to the hub. */
      readonly hub: RunningHub;
      readonly control: RemoteControl;
      /** The addresses of its servers, by name. */
      readonly servers: ReadonlyMap<string, string>;
      /** The apps that it shows; undefined if it shows none. */
      readonly apps: HubApps | undefined;
      release(): Promise<void>;
    }
  /** A hub that can't be asked: one of an earlier version. All servers run here until it is started again. */
  | { readonly kind: "apart"; readonly problem: string; release(): Promise<void> };

export interface HubApps {
  /** What the names of their tools begin with. */
  readonly prefix: string;
}

export interface ServerOwnerOptions {
  readonly home: Home;
  readonly log: LiveLog;
}

/** Makes this process the hub of its state folder, unless another one is. */
export async function findServerOwner(options: ServerOwnerOptions): Promise<ServerOwner> {
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
  if (hub === undefined || controlled === undefined) return findServerOwner(options);
  const { createRemoteControl } = await import("../hub/control/remote-control.ts");
  const control = createRemoteControl(controlled, { log });
  try {
    const [listed, { appsPrefix: prefix }] = await Promise.all([control.servers.list(), control.status.read()]);
    const servers = new Map(listed.map(({ name, address }) => [name, address]));
    const apps = prefix === undefined ? undefined : { prefix };
    return { kind: "hub", hub, control, servers, apps, release: async () => control.close() };
  } catch (error) {
    control.close();
    throw error;
  }
}

/** The servers that the hub has as well. One that is told who asks gets that from us: the hub knows neither agent nor sender. */
function sharedServers(config: Config, owner: ServerOwner): ReadonlySet<string> {
  if (owner.kind !== "hub") return new Set();
  const shared = defineServers(config).definitions.filter(
    (definition) =>
      definition.enabled && !definition.identity && owner.servers.get(definition.name) === serverAddress(definition),
  );
  return new Set(shared.map(({ name }) => name));
}

/** The servers that the hub has as well are used through it, and so are its apps; the others run here. */
export function useHub(config: Config, owner: ServerOwner): Config {
  if (owner.kind !== "hub") return config;
  const { hub, apps } = owner;
  const through = {
    transport: "http",
    socket: hub.socket,
    headers: { authorization: `Bearer ${hub.key.reveal()}` },
  } as const;
  const shared = sharedServers(config, owner);
  const servers = Object.entries(config.servers).map(([name, server]) => {
    if (!shared.has(name)) return [name, server] as const;
    const { command: _, apiKey: __, auth: ___, ...rest } = server;
    return [
      name,
      {
        ...rest,
        ...through,
        url: `${hub.address}/mcp/${encodeURIComponent(name)}`,
        args: [],
        env: {},
        tls: {},
      } as const,
    ] as const;
  });
  const all = Object.fromEntries(servers);
  if (apps === undefined || Object.hasOwn(all, appsName) || !isUsedByAgents(config.agents, appsName))
    return { ...config, servers: all };
  const relay = serverAt(hubAppsUrl(hub.address).href);
  const theirApps = { ...relay, ...through, toolPrefix: apps.prefix, kind: "app" } as const;
  return { ...config, servers: { ...all, [appsName]: theirApps } };
}

/** A server with the default settings. */
function serverAt(url: string): ServerConfig {
  const parsed = parseConfig(JSON.stringify({ servers: { [appsName]: { url } } }), {});
  const server = "config" in parsed ? parsed.config.servers[appsName] : undefined;
  if (server === undefined) throw new TypeError(`a hub is at ${url}`);
  return server;
}

/** Where the hub keeps a server, signing in to it and connecting it is the hub's business, too. */
export function controlWith(control: HubControl, owner: ServerOwner, config: Config): HubControl {
  if (owner.kind !== "hub") return control;
  const { servers, signIns: own } = control;
  const { servers: theirServers, signIns: theirs } = owner.control;
  const shared = sharedServers(config, owner);
  /** The method of who keeps the server. */
  const kept =
    <Input extends { readonly server: string }, Result>(
      method: (signIns: HubControl["signIns"]) => (input: Input) => Promise<Result>,
    ) =>
    (input: Input): Promise<Result> =>
      method(shared.has(input.server) ? theirs : own)(input);
  return {
    ...control,
    servers: {
      ...servers,
      async connect(input) {
        if (shared.has(input.name)) await theirServers.connect(input);
        return servers.connect(input);
      },
      async refresh({ name } = {}) {
        const named = name === undefined ? [...shared] : shared.has(name) ? [name] : [];
        await Promise.allSettled(named.map((each) => theirServers.refresh({ name: each })));
        return servers.refresh({ name });
      },
      logs: (input) => (shared.has(input.name) ? theirServers : servers).logs(input),
    },
    signIns: {
      methodFor: kept(({ methodFor }) => methodFor),
      begin: kept(({ begin }) => begin),
      finish: kept(({ finish }) => finish),
      cancel: kept(({ cancel }) => cancel),
      isWaiting: kept(({ isWaiting }) => isWaiting),
      beginDevice: kept(({ beginDevice }) => beginDevice),
      awaitDevice: kept(({ awaitDevice }) => awaitDevice),
      cancelDevice: kept(({ cancelDevice }) => cancelDevice),
      logout: kept(({ logout }) => logout),
      status: kept(({ status }) => status),
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
export function serverOwnerText(owner: ServerOwner): string {
  if (owner.kind === "here") return `The servers are kept by OpenClaw's gateway (PID ${process.pid}).`;
  if (owner.kind === "apart") return `OpenClaw's gateway (PID ${process.pid}) runs its own servers. ${owner.problem}`;
  return `The servers are kept by the hub at ${owner.hub.address}, as far as it has them; OpenClaw's gateway (PID ${process.pid}) keeps the others.`;
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
