import type { Catalog } from "../catalog/catalog.ts";
import type { Home } from "../core/home.ts";
import type { Log } from "../core/log.ts";
import type { Metrics } from "../core/metrics.ts";
import { createServerMetrics } from "../core/metrics/server-metrics.ts";
import { createLocalControl, type LocalControl } from "../sources/servers/handlers/local-control.ts";
import type { ConfigPlace } from "../sources/servers/handlers/servers-control.ts";
import { createServerManager, type ServerManager } from "../sources/servers/manager.ts";
import { createServerAuths } from "../sources/servers/oauth/server-auths.ts";
import type { CredentialStore } from "../sources/servers/oauth/store/credential-store.ts";
import type { Sample } from "../sources/servers/server-source.ts";
import { killOrphans } from "../sources/servers/stdio/owned-processes.ts";
import type { Closers } from "./closers.ts";
import type { ConfigInForce } from "./config-of.ts";
import { joinServingChain } from "./serving-chain.ts";
import type { World } from "./world.ts";

export interface OpenServersOptions {
  readonly home: Home;
  readonly catalog: Catalog;
  readonly configuration: ConfigInForce;
  readonly env: World["env"];
  readonly log: Log;
  readonly version: string;
  readonly closers: Closers;
  /** Where they are counted, in a process that shows that to somebody. */
  readonly metrics?: Metrics | undefined;
  /** Only these of the configured servers. */
  readonly only?: readonly string[] | undefined;
  /** Servers connect only when they are asked for. */
  readonly idle?: boolean | undefined;
  readonly place: ConfigPlace;
  /** Has a model write for servers that ask for one. */
  readonly sample?: Sample | undefined;
  reload(): Promise<void>;
}

export interface OpenedServers {
  readonly control: LocalControl;
  readonly manager: ServerManager;
}

/** Starts the configured servers side by side and returns at once; their tools join the catalog as they come. */
export async function openServers(options: OpenServersOptions): Promise<OpenedServers> {
  const { home, catalog, configuration, env, log, version, closers, only, idle, place } = options;
  const { config, file } = configuration;
  const serverEnv = joinServingChain(env, place.path);
  const left = killOrphans();
  if (left > 0) log.info("processes that an earlier start left behind were ended", { count: left });
  const { open: store, settled } = createStoreOpener({ home, env, log });
  // After the servers: what they began goes on without them.
  closers.add("sign-ins", settled);
  const auths = createServerAuths({ home, env, log, store });
  const manager = createServerManager({
    auths,
    catalog,
    env: serverEnv,
    log,
    version,
    maxConcurrent: config.maxConcurrentServers,
    discoveryMs: config.toolDiscoveryInterval,
    metrics: options.metrics && createServerMetrics(options.metrics),
    sample: options.sample,
  });
  closers.add("servers", () => manager.close());
  const control = createLocalControl({
    manager,
    auths,
    home,
    store,
    catalog,
    log,
    only,
    idle,
    configuration: () => Promise.resolve(place),
    reload: () => options.reload(),
  });
  await control.apply({ config, waiting: file?.waiting });
  return { control, manager };
}

interface StoreOpener {
  /** When a server first needs it: what reads and seals it takes longer to load than most commands do. */
  open(): Promise<CredentialStore>;
  /** Resolves when nothing is being written there any more. */
  settled(): Promise<void>;
}

function createStoreOpener(place: Pick<OpenServersOptions, "home" | "env" | "log">): StoreOpener {
  let opening: Promise<CredentialStore> | undefined;
  return {
    open: () => (opening ??= load()),
    settled: async () => (await opening?.catch(() => undefined))?.settled(),
  };

  async function load(): Promise<CredentialStore> {
    const { openCredentialStore } = await import("../sources/servers/oauth/store/open-credential-store.ts");
    return openCredentialStore(place);
  }
}
