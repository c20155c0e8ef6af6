import type { OpenClawApi, ServiceContext } from "./openclaw-api.ts";
import type { RunningPlugin } from "./running-plugin.ts";
import { createSerialQueue, type RunSerially } from "../core/serial-queue.ts";

/** OpenClaw registers a plugin several times in one process, each time with a new copy of this module. */
interface PluginState {
  running: RunningPlugin | undefined;
  /** The one that was closed last: its entries are still in OpenClaw's configuration. */
  closed: RunningPlugin | undefined;
  api: OpenClawApi | undefined;
  context: ServiceContext | undefined;
  /** Runs something as if the latest start of the service did. */
  inLatest: <T>(work: () => T) => T;
  /** Starts and stops follow one another. */
  runSerially: RunSerially;
  /** Closes the engine, unless the service starts again before. */
  lingering: NodeJS.Timeout | undefined;
  /** The gateway was told to stop, so nothing lingers. */
  isEnding: boolean;
}

const key = Symbol.for("clawport.openclaw-plugin");

export function pluginState(): PluginState {
  const place = globalThis as typeof globalThis & { [key]?: PluginState };
  return (place[key] ??= {
    running: undefined,
    closed: undefined,
    api: undefined,
    context: undefined,
    inLatest: (work) => work(),
    runSerially: createSerialQueue(),
    lingering: undefined,
    isEnding: false,
  });
}
