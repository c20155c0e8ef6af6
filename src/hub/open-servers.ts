import type { Catalog } from "../catalog/catalog.ts";
import type { Guard } from "../catalog/guard/guard.ts";
import type { ActiveConfig } from "../cli/config-of.ts";
import type { AgentConfig } from "../core/config/agent-config.ts";
import type { Home } from "../core/files/home.ts";
import type { Log } from "../core/log.ts";
import { killOrphans } from "../core/process/process-tree.ts";
import type { World } from "../core/process/world.ts";
import { createServerMetrics } from "../core/telemetry/clawport-metrics.ts";
import type { Metrics } from "../core/telemetry/metrics.ts";
import { findModel } from "../sources/agent/model/find-model.ts";
import { createSamplingHandler, type SamplingHandler } from "../sources/agent/sampling/sampling-handler.ts";
import { createServerManager, type ServerManager } from "../sources/servers/manager.ts";
import { createAuthRegistry } from "../sources/servers/oauth/auth-registry.ts";
import type { CredentialStore } from "../sources/servers/oauth/store/credentials.ts";
import type { SampleForServer } from "../sources/servers/server-source.ts";
import type { Closers } from "./closers.ts";
import type { ConfigPlace } from "./control/hub-control.ts";
import { createLocalControl, type LocalControl } from "./control/local-control.ts";
import { guardRecursion } from "./recursion-guard.ts";

export interface OpenServersOptions {
  readonly home: Home;
  readonly catalog: Catalog;
  readonly configuration: ActiveConfig;
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
  readonly sample?: SampleForServer | undefined;
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
  const serverEnv = guardRecursion(env, place.path);
  const left = killOrphans();
  if (left > 0) log.info("processes that an earlier start left behind were ended", { count: left });
  const { open: store, settled } = createStoreOpener({ home, env, log });
  // After the servers: what they began goes on without them.
  closers.add("sign-ins", settled);
  const auths = createAuthRegistry({ home, env, log, store });
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

export interface OpenSamplerOptions {
  readonly config: AgentConfig;
  readonly guard: Guard;
  readonly env: World["env"];
}

/** The configured model for the configured servers, with the guard between them. */
export function openSampler({ config, guard, env }: OpenSamplerOptions): SamplingHandler {
  const { maxTokens = 4096 } = config.sampling ?? {};
  return createSamplingHandler({ findModel: () => findModel(config.model, env), guard, env, maxTokens });
}
