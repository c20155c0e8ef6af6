import { mkdtemp, rm } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import type { Config } from "../../src/core/config/config-schema.ts";
import { defaultConfig } from "../../src/core/config/find-config.ts";
import { openHome } from "../../src/core/files/home.ts";
import { type Log, silentLog } from "../../src/core/log.ts";
import { parseProxySettings } from "../../src/hub/engine/apps/proxy-settings.ts";
import type { AppDoorOptions } from "../../src/hub/engine/apps/open-apps.ts";
import { openHost } from "../../src/hub/hosts.ts";
import { createMemorySessionStore } from "../../src/sources/apps/store/session-store.ts";
import { createProxyClient, type ProxyClient } from "../support/apps/proxy-client.ts";

export { bearer, type Created, echoTool, registration } from "../support/apps/proxy-client.ts";

export interface RunningProxy extends ProxyClient, AsyncDisposable {
  close(): Promise<void>;
  /** Stops the proxy and starts it again on the same port, with the same session store. */
  restart(): Promise<void>;
}

interface ProxyParts extends Partial<Omit<AppDoorOptions, "settings">> {
  readonly env?: Record<string, string>;
  readonly log?: Log;
  readonly config?: Config;
}

/** The whole proxy on a free port, with a temporary home. */
export async function startProxy({
  env = {},
  log = silentLog,
  config = defaultConfig,
  ...parts
}: ProxyParts = {}): Promise<RunningProxy> {
  const folder = await mkdtemp(join(tmpdir(), "proxy-"));
  const store = createMemorySessionStore();
  const options: AppDoorOptions = {
    settings: parseProxySettings(env),
    openStore: () => Promise.resolve({ ...store, [Symbol.asyncDispose]: () => Promise.resolve() }),
    allowedHosts: [],
    host: "127.0.0.1",
    port: 0,
    requestsPerSecond: 100_000,
    sessionsPerSecond: 100_000,
    ...parts,
  };
  const home = await openHome(join(folder, "state"));
  const place = { home, configuration: { config }, env: {}, homedir: homedir(), log, version: "0.0.0" };
  let proxy = await openHost("proxy", place, options);
  const { address, port } = proxy.apps!;
  return {
    ...createProxyClient(address, env),
    close: () => proxy.close(),
    async restart() {
      await proxy.close();
      proxy = await openHost("proxy", place, { ...options, port });
    },
    async [Symbol.asyncDispose]() {
      await proxy.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
