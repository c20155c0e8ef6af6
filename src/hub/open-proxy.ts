import { homedir } from "node:os";
import type { Config } from "../core/config/config-schema.ts";
import type { Home } from "../core/files/home.ts";
import type { Log } from "../core/log.ts";
import type { World } from "../core/process/world.ts";
import { configFile } from "./engine/config-source.ts";
import { openEngine } from "./engine/engine.ts";
import type { AppDoorOptions } from "./engine/open-apps.ts";

export interface ProxyOptions extends AppDoorOptions {
  readonly home: Home;
  readonly config: Config;
  readonly env?: World["env"];
  readonly version: string;
  readonly log: Log;
}

export interface Proxy {
  readonly address: string;
  readonly port: number;
  /** Hands the apps over to other instances; calls that run have this time to finish. */
  drain(withinMs: number): Promise<void>;
  close(): Promise<void>;
}

/** The engine with the app proxy as its only door. */
export async function openProxy({ home, config, env = {}, version, log, ...options }: ProxyOptions): Promise<Proxy> {
  const engine = await openEngine({
    home,
    configuration: configFile({ home, configuration: { config }, env }),
    env,
    homedir: homedir(),
    log,
    version,
    observed: true,
    doors: { apps: options },
  });
  const { address = "", port = 0 } = engine.apps ?? {};
  return { address, port, drain: async (withinMs) => engine.apps?.drain(withinMs), close: () => engine.close() };
}
