import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defaultConfig } from "../../src/core/config/find-config.ts";
import { openHome } from "../../src/core/files/home.ts";
import { silentLog } from "../../src/core/log.ts";
import { parseProxySettings } from "../../src/hub/engine/proxy-settings.ts";
import { openProxy, type ProxyOptions } from "../../src/hub/open-proxy.ts";
import { createMemorySessionStore } from "../../src/sources/apps/store/session-store.ts";
import { createProxyClient, type ProxyClient } from "./proxy-client.ts";

export { bearer, type Created, echoTool, registration } from "./proxy-client.ts";

export interface RunningProxy extends ProxyClient, AsyncDisposable {
  close(): Promise<void>;
  /** Stops the proxy and starts it again on the same port, with the same session store. */
  restart(): Promise<void>;
}

interface ProxyParts extends Partial<Omit<ProxyOptions, "settings">> {
  readonly env?: Record<string, string>;
}

/** The whole proxy on a free port, with a temporary home. */
export async function startProxy({ env = {}, ...parts }: ProxyParts = {}): Promise<RunningProxy> {
  const folder = await mkdtemp(join(tmpdir(), "proxy-"));
  const store = createMemorySessionStore();
  const options: ProxyOptions = {
    home: await openHome(join(folder, "state")),
    config: defaultConfig,
    settings: parseProxySettings(env),
    openStore: () => Promise.resolve({ ...store, [Symbol.asyncDispose]: () => Promise.resolve() }),
    allowedHosts: [],
    version: "0.0.0",
    log: silentLog,
    host: "127.0.0.1",
    port: 0,
    requestsPerSecond: 100_000,
    sessionsPerSecond: 100_000,
    ...parts,
  };
  let proxy = await openProxy(options);
  const { address, port } = proxy;
  return {
    ...createProxyClient(address, env),
    close: () => proxy.close(),
    async restart() {
      await proxy.close();
      proxy = await openProxy({ ...options, port });
    },
    async [Symbol.asyncDispose]() {
      await proxy.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
