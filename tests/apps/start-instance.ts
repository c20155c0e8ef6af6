import { type Log, silentLog } from "../../src/core/log.ts";
import { openSharedApps } from "../../src/hub/engine/apps/open-shared-apps.ts";
import type { NatsOptions } from "../../src/sources/apps/nats/nats-connection.ts";
import { type RunningProxy, startProxy } from "./start-proxy.ts";

/** An instance of a proxy that shares its sessions over NATS. */
export async function startInstance(nats: NatsOptions, log: Log = silentLog): Promise<RunningProxy> {
  const shared = await openSharedApps(nats, log);
  const proxy = await startProxy({
    openStore: () => shared.openStore(),
    openBus: () => shared.openBus(),
    problem: () => shared.problem(),
  });
  return {
    ...proxy,
    async [Symbol.asyncDispose]() {
      await proxy[Symbol.asyncDispose]();
      await shared.close();
    },
  };
}
