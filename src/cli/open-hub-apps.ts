import type { Catalog } from "../catalog/catalog.ts";
import type { Guard } from "../catalog/guard/guard.ts";
import type { Config } from "../core/config/schema.ts";
import { Fault, isFault } from "../core/fault.ts";
import type { Home } from "../core/home.ts";
import type { Log } from "../core/log.ts";
import type { Metrics } from "../core/metrics.ts";
import type { ProxyDoor } from "../doors/apps/proxy-door.ts";
import { showApps } from "../sources/apps/show-apps.ts";
import type { Closers } from "./closers.ts";
import { openAppDoor } from "./open-app-door.ts";
import { openSessionStore } from "./open-session-store.ts";
import { parseProxySettings, requireTokens } from "./proxy-settings.ts";
import type { World } from "./world.ts";

export interface HubAppsOptions {
  readonly config: Config["apps"];
  readonly home: Home;
  readonly env: World["env"];
  readonly catalog: Catalog;
  readonly guard: Guard;
  readonly metrics: Metrics;
  readonly version: string;
  readonly log: Log;
  readonly closers: Closers;
}

/** The app proxy as part of the hub, under its guard. */
export async function openHubApps(options: HubAppsOptions): Promise<ProxyDoor> {
  const { config, home, catalog, log, closers } = options;
  const { port, show, prefix } = config;
  const settings = parseProxySettings(options.env);
  requireTokens(config, settings, log);
  // Before the door, whose conflict is one about the port.
  const store = await openSessionStore(home, log, "set apps.serve to false");
  const openStore = () => Promise.resolve(store);
  const { sessions, door } = await openAppDoor({ ...options, ...config, settings, openStore }).catch(
    (error: unknown) => {
      if (!isFault(error, "conflict")) throw error;
      throw new Fault("config", `port ${port} is taken; set apps.port to another, or to 0 for any`, {
        cause: error,
      });
    },
  );
  if (show) closers.add("shown apps", showApps({ sessions, catalog, prefix }));
  return door;
}
