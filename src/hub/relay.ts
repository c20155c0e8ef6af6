import { createCatalog } from "../catalog/catalog.ts";
import {
  reachCompletion,
  reachDirectory,
  reachPrompt,
  reachResource,
  reachSkill,
  reachTool,
  reachWatch,
} from "../catalog/guard/reach-source.ts";
import type { View } from "../catalog/view.ts";
import type { Config } from "../core/config/config-schema.ts";
import { isFault } from "../core/fault.ts";
import type { Home } from "../core/files/home.ts";
import { hubFullListUrl, hubRelayUrl } from "../core/http/hub-routes.ts";
import { silentLog } from "../core/log.ts";
import type { Secret } from "../core/secrets/secret.ts";
import { readVersion } from "../core/version.ts";
import { maxTimerMs } from "../core/wait.ts";
import type { SurfaceSetting } from "../doors/mcp/surface/choose-surface.ts";
import type { GivenSurface } from "../doors/mcp/surface/surface-record.ts";
import type { Surfaces } from "../doors/mcp/surface/surfaces.ts";
import type { CallGuard } from "../doors/mcp/view-offer.ts";
import { fingerprintOf, type HttpTarget, type ServerDefinition, unknownServer } from "../sources/servers/definition.ts";
import { createServerManager } from "../sources/servers/manager.ts";
import { findConfigOf, loadConfigOf } from "./state/active-config.ts";
import { findHub, type RunningHub } from "./state/find-hub.ts";
import { createRemoteControl } from "./control/remote-control.ts";
import { type FollowedConfig, placeOf, watchedConfigFile } from "./engine/config-source.ts";
import { openSurfaces } from "./engine/open-surfaces.ts";
import { guardRecursion } from "./engine/servers/recursion-guard.ts";
import type { Host } from "./state/host.ts";
import { openHomeOf } from "./state/open-home.ts";
import { createSurfaceReporter } from "./report-surfaces.ts";

/** The tools of a running hub, offered by this process. */
export interface Relay {
  readonly view: View;
  readonly surfaces: Surfaces;
  /** Whether its configuration names servers. */
  readonly hasServers: boolean;
  /** The largest message that the hub accepts. */
  readonly maxFrameBytes: number;
  /** Resolves when the hub's lists have arrived, or after the time. */
  settled(withinMs: number): Promise<void>;
  close(): Promise<void>;
}

/** How often to look for a hub that went away: it may come back at another port. */
const lookEveryMs = 2000;

export interface RelayOptions {
  /** These servers alone. */
  readonly only?: readonly string[] | undefined;
  /** Everything that the token of an installed client gives access to, for that client; else the owner's servers. */
  readonly client?: { readonly name: string; readonly token: Secret; readonly withoutOrders: boolean } | undefined;
  /** Takes precedence over `hub.surface`. */
  readonly surface?: SurfaceSetting | undefined;
}

/** Undefined if no hub is running, or, unless for a client, one with another configuration than this process would use. */
export async function openRelay(host: Host, options: RelayOptions): Promise<Relay | undefined> {
  const { env, log } = host;
  const home = await openHomeOf(host);
  const hub = await findHub(home, "relay").catch((error: unknown) => {
    if (!isFault(error, "unauthorized")) throw error;
    log.warn(error.message);
    return undefined;
  });
  if (hub === undefined || !(await isForUs(host, home, hub, options))) return undefined;
  const active = await loadConfigOf(host);
  const { config } = active;
  const catalog = createCatalog({ log });
  const version = readVersion();
  const manager = createServerManager({
    catalog,
    env,
    log,
    version,
    maxConcurrent: 1,
    discoveryMs: 0,
    isRelay: true,
  });
  await manager.apply([definitionOf(hub, options)]);
  const reporter = createSurfaceReporter(host, home, options.client?.name);
  const onGiven = (given: GivenSurface): void => void reporter.report(given);
  // The hub reports edits that can't be used.
  const file = watchedConfigFile({ home, configuration: active, env, log: silentLog });
  let edits: FollowedConfig | undefined;
  const onEdit = (listener: (config: Config) => void): void => {
    edits = file.follow?.((loaded) => Promise.resolve(listener(withHubTools(loaded.config))));
  };
  const surfaces = openSurfaces(
    { catalog, config: withHubTools(config), home, log, onGiven, onEdit, onlySearched },
    options.surface,
  );
  // It fails without a token, or while the hub is being replaced; the next attempt is soon.
  const timer = setInterval(() => void follow().catch(() => {}), lookEveryMs).unref();
  return {
    view: catalog.view({ source: relayName }, { alphabet: config.hub.toolNames === "short" ? "narrow" : "wide" }),
    surfaces,
    hasServers: Object.keys(config.servers).length > 0,
    maxFrameBytes: config.hub.maxBodyBytes,
    settled: (withinMs) => manager.settled(withinMs),
    async close() {
      clearInterval(timer);
      await edits?.close();
      await manager.close();
      catalog.close();
    },
  };

  async function follow(): Promise<void> {
    if (manager.status(relayName).state === "ready") return reporter.reportAgain(surfaces.given().toReversed());
    const found = await findHub(home, "relay");
    if (found !== undefined) await manager.apply([definitionOf(found, options)]);
  }
}

const relayName = "hub";

/** The hub keeps large results and runs scripts, and its tools for that are listed beside the search. */
function withHubTools(config: Config): Config {
  const names = ["read_result", "search_result"];
  const always = [...config.hub.always, ...names, ...names.map((name) => `clawport_${name}`), ...scriptTools];
  return { ...config, hub: { ...config.hub, always } };
}

/** A relay always gets them from the hub, and shows them to those of its clients that search. */
const scriptTools = ["run_script", "script_result"];
const onlySearched = ({ scripts }: Config["hub"]): readonly string[] => (scripts === "auto" ? scriptTools : []);

/** Faults if the hub lacks one of the requested servers, or if this process is one of its servers. */
async function isForUs(host: Host, home: Home, hub: RunningHub, { only, client }: RelayOptions): Promise<boolean> {
  const control = createRemoteControl(hub);
  try {
    const { path } = findConfigOf(host) ?? placeOf({}, home);
    const { configPath, servers } = await control.status.forRelay();
    if (client === undefined && configPath !== path) return false;
    guardRecursion(host.env, configPath);
    const missing = only?.find((name) => !servers.includes(name));
    if (missing !== undefined) throw unknownServer(missing, servers);
    return true;
  } finally {
    control.close();
  }
}

/** Everything goes over the socket: a port may be another program's by the time a connection is made again. */
function definitionOf({ address, socket, key }: RunningHub, { only, client }: RelayOptions): ServerDefinition {
  const url = client === undefined ? hubRelayUrl(address, only) : hubFullListUrl(address);
  const headers = { authorization: `Bearer ${(client?.token ?? key).reveal()}` };
  const transport: HttpTarget = { kind: "http", url, socket, headers, tls: {} };
  return {
    name: relayName,
    prefix: "",
    enabled: true,
    transport,
    connectTimeoutMs: 10_000,
    // The hub knows how long each of its servers may take.
    requestTimeoutMs: maxTimerMs,
    callTimeoutMs: maxTimerMs,
    maxTotalTimeoutMs: undefined,
    maxMessageBytes: 512 * 1024 * 1024,
    heartbeatMs: 0,
    isLazy: false,
    idleStopMs: 0,
    era: "modern",
    roots: [],
    tools: { include: ["*"], exclude: client?.withoutOrders ? ["order_openclaw"] : [], rename: {}, describe: {} },
    share: false,
    trusted: true,
    secrets: [],
    fingerprint: fingerprintOf(transport),
  };
}

/** Lets everything pass: the hub's own guard judges what is relayed to it, for the same caller. */
export const relayGuard: CallGuard = {
  call: (tool, args, context) => reachTool(tool, args).run(context),
  readResource: async (view, uri, context) => reachResource(view, uri, context.caller).run(context),
  watchResource: async (view, uri, listener, context) => reachWatch(view, uri, listener, context.caller).run(context),
  getPrompt: async (view, name, args, context) => reachPrompt(view, name, args).run(context),
  getSkill: async (view, uri, context) => reachSkill(view, uri, context.caller).run(context),
  readDirectory: async (view, uri, cursor, context) => reachDirectory(view, uri, cursor, context.caller).run(context),
  complete: async (view, request, context) => reachCompletion(view, request)?.run(context) ?? { values: [] },
};
