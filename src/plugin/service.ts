import { AsyncLocalStorage } from "node:async_hooks";
import { homedir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { messageOf } from "../core/fault.ts";
import { writeOpenClawConfig } from "./config-file.ts";
import type { OpenClawApi, OpenClawService, ServiceContext } from "./openclaw-api.ts";
import { pluginsSettled } from "./plugin-lease.ts";
import { pluginState } from "./plugin-state.ts";
import type { RunningPlugin } from "./running-plugin.ts";

/** Long enough for OpenClaw to start the service again after a change of the configuration. */
const shutdownDelayMs = 2500;
const takeBackAttempts = 5;
const runtimeAttempts = 5;

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
    start: (context) => pluginState().runSerially(() => start(api, context)),
    stop: () => pluginState().runSerially(stop),
  };
}

async function start(api: OpenClawApi, context: ServiceContext): Promise<void> {
  const state = pluginState();
  clearTimeout(state.lingering);
  state.api = api;
  state.context = context;
  state.inLatest = AsyncLocalStorage.snapshot();
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
      // While OpenClaw reloads plugins, what it gave us may not work any more. A moment later there is a new one, or, if it
      // does not start the service again, only the file.
      // OpenClaw knows by the asynchronous context which load of the plugin acts: what a timer of an earlier one writes fails.
      write: (edit, attempt) =>
        state.inLatest(() =>
          attempt <= runtimeAttempts
            ? (state.api ?? api).runtime.config.mutateConfigFile(edit)
            : writeOpenClawConfig(edit),
        ),
      config: (state.context ?? context).config,
    }),
  });
}

async function stop(): Promise<void> {
  const state = pluginState();
  if (state.isEnding) return closeNow();
  clearTimeout(state.lingering);
  state.lingering = setTimeout(() => void pluginState().runSerially(closeNow), shutdownDelayMs).unref();
}

async function closeNow(): Promise<void> {
  const state = pluginState();
  clearTimeout(state.lingering);
  const { running } = state;
  state.running = undefined;
  state.closed = running ?? state.closed;
  await running?.close();
}

/** OpenClaw does not say why it stops a service. */
function watchSignals(): void {
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => void (pluginState().isEnding = true));
}

/** The plugin was disabled or uninstalled: what it wrote into OpenClaw's configuration goes, too. */
export function cleanUp(reason: string | undefined): void {
  const { running, closed, context, isEnding } = pluginState();
  if (reason !== "disable" || isEnding) return;
  // A busy OpenClaw says so seconds after it has stopped the service.
  const last = running ?? closed;
  if (last === undefined || context === undefined) return;
  void pluginState().runSerially(closeNow);
  void takeBackEntries(last, context);
}

/** OpenClaw waits for what the hook does, so this is done beside it. */
async function takeBackEntries(running: RunningPlugin, { stateDir, logger }: ServiceContext): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    await pluginsSettled(stateDir);
    // It was enabled again.
    if (pluginState().running !== undefined) return;
    try {
      // `api.runtime` no longer works by now.
      return await running.withdraw({ mutateConfigFile: writeOpenClawConfig });
    } catch (error) {
      if (attempt === takeBackAttempts) return logger.warn(`could not clean up mcp.servers: ${messageOf(error)}`);
      await wait(1000, undefined, { ref: false });
    }
  }
}
