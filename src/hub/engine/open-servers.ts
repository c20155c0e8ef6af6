import type { Log } from "../../core/log.ts";
import { killOrphans } from "../../core/process/marked-processes.ts";
import { findCageMaker, rememberCageMaker } from "../../core/process/cage/cage-maker.ts";
import { findNamespaceLauncher, rememberNamespaceLauncher } from "../../core/process/pid-namespace.ts";
import { createServerMetrics } from "../../core/telemetry/clawport-metrics.ts";
import { findModel } from "../../sources/agent/model/find-model.ts";
import { createSamplingHandler, type SamplingHandler } from "../../sources/agent/sampling/sampling-handler.ts";
import type { ServerDefinition } from "../../sources/servers/definition.ts";
import { type IdentitySigner, openIdentitySigner } from "../../sources/servers/identity/identity-signer.ts";
import { createServerManager, type ServerManager, type ServerManagerOptions } from "../../sources/servers/manager.ts";
import { createAuthRegistry } from "../../sources/servers/oauth/auth-registry.ts";
import { openListStore } from "../../sources/servers/lists/list-store.ts";
import type { CredentialStore } from "../../sources/servers/oauth/store/credentials.ts";
import { createLocalServers, type LocalServers } from "./local-servers.ts";
import { createLocalSignIns, type SignIns } from "../sign-in/sign-ins.ts";
import { hubFiles } from "../state/hub-files.ts";
import type { SignInEvent, StepUp } from "../sign-in/step-up.ts";
import type { ConfigSource } from "./config-source.ts";
import type { EngineParts } from "./engine-parts.ts";
import { openSandboxes } from "./servers/open-sandboxes.ts";
import { guardRecursion } from "./servers/recursion-guard.ts";

/** Which of the configured servers are opened, and how. */
export interface ServersOptions {
  /** All connect at once, none before the control is asked for it by name, or all with their first use. */
  readonly start: "at-once" | "by-name" | "when-needed";
  /** Only these of them. */
  readonly only?: readonly string[] | undefined;
  /** What earlier processes stored of them is not used: the user wants to know how they are now. */
  readonly isFresh?: boolean | undefined;
  /** Told what happens to the sign-ins while no one waits for it. */
  onSignIn?(event: SignInEvent): void;
}

export interface OpenServersOptions extends ServersOptions {
  readonly configuration: ConfigSource;
}

export interface OpenedServers {
  readonly servers: LocalServers;
  readonly signIns: SignIns;
  readonly manager: ServerManager;
}

/** Starts the configured servers side by side and returns at once; their tools join the catalog as they connect. */
export async function openServers(parts: EngineParts, options: OpenServersOptions): Promise<OpenedServers> {
  const { home, config, catalog, pins, env, log, version, closers, metrics } = parts;
  const { configuration, only, start, isFresh } = options;
  const idle = start === "by-name";
  const { active, place } = configuration;
  const serverEnv = guardRecursion(env, place.path);
  const firstStart = prepareFirstStart(log, async () => {
    if (idle) return;
    await import("../../sources/servers/connection/link.ts");
    // Node loads these when they are first used, which would be while a call waits for its server.
    for (const name of ["node:child_process", "node:fs/promises"]) process.getBuiltinModule(name);
    const sleeper = servers.definitions().find(({ enabled, isLazy }) => enabled && isLazy);
    if (start === "at-once" && sleeper !== undefined) await (await import("./warm-up.ts")).warmUp(parts, sleeper);
    if (!servers.definitions().some(needsNamespace)) return;
    if ((await findNamespaceLauncher(serverEnv)) === undefined)
      log.info("the system allows no PID namespaces: what a server starts may outlive it (see `clawport doctor`)");
    const { refusal } = await findCageMaker(serverEnv);
    if (refusal !== undefined)
      log.warn("servers are not kept from the state folder (see `clawport doctor`)", { reason: refusal });
  });
  closers.add("orphans", () => firstStart.cancel());
  rememberNamespaceLauncher(home.file("pid-namespace.json"));
  rememberCageMaker(home.file("sandbox.json"));
  const { open: store, settled } = createStoreOpener({ home, env, log });
  // After the servers: writes they began may still be under way.
  closers.add("sign-ins", settled);
  const auths = createAuthRegistry({ home, env, log, store });
  let steppingUp: Promise<StepUp> | undefined;
  const manager = createServerManager({
    auths,
    catalog,
    env: serverEnv,
    log,
    version,
    store: openListStore({ ...hubFiles.lists(home), log }),
    isFresh,
    maxConcurrent: config.maxConcurrentServers,
    discoveryMs: config.toolDiscoveryInterval,
    metrics: metrics && createServerMetrics(metrics),
    sample: createSampler(parts),
    async checkCommand(command) {
      firstStart.begin();
      await configuration.checkCommand?.(command);
    },
    sandboxes: openSandboxes({
      home,
      // Of a folder's own configuration, every change is asked about.
      givenConfig: place.location === "flag" ? place.path : undefined,
      env: serverEnv,
      homedir: parts.homedir,
      log,
    }),
    hasModel: hasModel(parts),
    identify: createIdentifier(parts),
    reportOf: (name) => pins.reportOf(name),
    async stepUp(server, scope, context) {
      steppingUp ??= import("../sign-in/step-up.ts").then(({ createStepUp }) =>
        createStepUp(signIns, options.onSignIn),
      );
      return (await steppingUp)(server, scope, context);
    },
    onSignInLost: (server) => options.onSignIn?.({ kind: "lost", server }),
  });
  closers.add("servers", () => manager.close());
  const servers = createLocalServers({ manager, log, only, idle });
  const signIns = createLocalSignIns({ auths, home, store, definitions: () => servers.definitions() });
  await servers.apply({ config, waiting: active.file?.waiting });
  return { servers, signIns, manager };
}

interface FirstStart {
  /** The first server starts now. */
  begin(): void;
  cancel(): void;
}

/** A client has its first list by then, and did not wait for this. */
const quietMs = 200;
/** Shorter than any server takes to open what an orphan may still hold. */
const sweepMs = 10;

/** Ends what an earlier process left behind, and then makes ready what a sleeping server needs to start. */
function prepareFirstStart(log: Log, prepare: () => Promise<void>): FirstStart {
  let hasBegun = false;
  const sweep = (): void => {
    hasBegun = true;
    const left = killOrphans();
    if (left > 0) log.info("ended processes that an earlier start left behind", { count: left });
    prepare().catch((error: unknown) => log.debug("could not prepare the start of servers", { error }));
  };
  let timer = setTimeout(sweep, quietMs).unref();
  return {
    begin() {
      if (hasBegun) return;
      hasBegun = true;
      clearTimeout(timer);
      timer = setTimeout(sweep, sweepMs).unref();
    },
    cancel: () => clearTimeout(timer),
  };
}

function needsNamespace({ enabled, transport }: ServerDefinition): boolean {
  return enabled && transport.kind === "stdio" && transport.pidNamespace !== "off" && process.platform === "linux";
}

interface StoreOpener {
  /** When a server first needs it: what reads and seals it takes longer to load than most commands do. */
  open(): Promise<CredentialStore>;
  /** Resolves when nothing is being written there any more. */
  settled(): Promise<void>;
}

function createStoreOpener(place: Pick<EngineParts, "home" | "env" | "log">): StoreOpener {
  let opening: Promise<CredentialStore> | undefined;
  return {
    open: () => (opening ??= load()),
    settled: async () => (await opening?.catch(() => undefined))?.settled(),
  };

  async function load(): Promise<CredentialStore> {
    const { openCredentialStore } = await import("../../sources/servers/oauth/store/open-credential-store.ts");
    return openCredentialStore(place);
  }
}

/** The key is loaded with the first call that needs it. */
function createIdentifier({ home }: EngineParts): NonNullable<ServerManagerOptions["identify"]> {
  let signer: IdentitySigner | undefined;
  return (server, call, caller) => (signer ??= openIdentitySigner(home)).state(server, call, caller);
}

function hasModel({ config, env }: EngineParts): boolean {
  try {
    return findModel(config.agent.model, env) !== undefined;
  } catch {
    // It is named, but not as it should be. The first request reports that.
    return true;
  }
}

/** Lends the configured model to the configured servers, through the guard. */
function createSampler({ config, guard, env }: EngineParts): SamplingHandler {
  const { model, sampling } = config.agent;
  const { maxTokens = 4096 } = sampling ?? {};
  return createSamplingHandler({ findModel: () => findModel(model, env), guard, env, maxTokens });
}
