import { homedir } from "node:os";
import { join } from "node:path";
import { writeConfig } from "./config-file.ts";
import type { OpenClawApi, OpenClawService, ServiceContext } from "./openclaw-api.ts";
import { pluginState } from "./plugin-state.ts";

/** Long enough for OpenClaw to start the service again after a change of the configuration. */
const lingerMs = 2500;
/** OpenClaw refuses writes from a plugin while it is being disabled. */
const cleanUpAfterMs = 1500;

/**
 * OpenClaw reloads the whole plugin for a change of its entry, which it refuses while a turn runs. It leaves our part of the
 * configuration alone (see `register.ts`) and restarts only the service for a change of what is in it.
 */
const ownPrefixes = [
  "agent",
  "agents",
  "apps",
  "audit",
  "catalog",
  "debug",
  "hub",
  "log",
  "machine",
  "maxConcurrentServers",
  "policy",
  "servers",
  "toolDiscoveryInterval",
].map((section) => `plugins.entries.mcp-client.config.${section}`);

/**
 * The engine as a service of the gateway. A change of the configuration restarts the service, but not the engine: only the
 * servers that changed.
 */
export function createService(api: OpenClawApi): OpenClawService {
  return {
    id: "mcp-client",
    reload: { configPrefixes: [...ownPrefixes, "agents.entries"] },
    start: (context) => inTurn(() => start(api, context)),
    stop: () => inTurn(stop),
  };
}

function inTurn(work: () => Promise<void>): Promise<void> {
  const state = pluginState();
  const done = state.turn.then(work);
  state.turn = done.catch(() => {});
  return done;
}

async function start(api: OpenClawApi, context: ServiceContext): Promise<void> {
  const state = pluginState();
  clearTimeout(state.lingering);
  state.api = api;
  state.context = context;
  const { openRunningPlugin, pluginVersion } = await import("./running-plugin.ts");
  if (state.running !== undefined && state.running.version !== pluginVersion()) await closeNow();
  if (state.running !== undefined) {
    await state.running.reconfigure().catch((error: unknown) => context.logger.error(String(error)));
    return;
  }
  watchSignals();
  const { createPluginLog } = await import("./plugin-log.ts");
  const env = process.env;
  state.running = await openRunningPlugin({
    stateDir: context.stateDir,
    configPath: env["OPENCLAW_CONFIG_PATH"] ?? join(context.stateDir, "openclaw.json"),
    env,
    homedir: homedir(),
    log: createPluginLog(() => state.context?.logger ?? context.logger),
    link: () => ({
      runtime: (state.api ?? api).runtime.config,
      config: (state.context ?? context).config,
    }),
  });
}

async function stop(): Promise<void> {
  const state = pluginState();
  if (state.isEnding) return closeNow();
  clearTimeout(state.lingering);
  state.lingering = setTimeout(() => void inTurn(closeNow), lingerMs).unref();
}

async function closeNow(): Promise<void> {
  const state = pluginState();
  clearTimeout(state.lingering);
  const { running } = state;
  state.running = undefined;
  await running?.close();
}

/** OpenClaw does not say why it stops a service. */
function watchSignals(): void {
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => void (pluginState().isEnding = true));
}

/** The plugin was disabled or uninstalled: what it wrote into OpenClaw's configuration goes, too. */
export function cleanUp(reason: string | undefined): void {
  if (reason !== "disable") return;
  const { running, context } = pluginState();
  if (running === undefined) return;
  void inTurn(closeNow);
  // `api.runtime` no longer works by then.
  setTimeout(() => {
    void running
      .withdraw({ mutateConfigFile: writeConfig })
      .catch((error: unknown) => context?.logger.warn(`could not clean up mcp.servers: ${String(error)}`));
  }, cleanUpAfterMs).unref();
}
