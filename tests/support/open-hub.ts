import { homedir } from "node:os";
import type { ListedSource } from "../../src/catalog/source.ts";
import { hubMcpUrl } from "../../src/core/http/hub-routes.ts";
import type { LogLevel } from "../../src/core/log.ts";
import { type HostPlace, type HubOptions, openHost } from "../../src/hub/hosts.ts";
import type { HubRecord } from "../../src/hub/state/hub-record.ts";
import type { ServerStatus } from "../../src/sources/servers/server-status.ts";

export interface Hub extends AsyncDisposable {
  /** Where MCP clients connect. */
  readonly url: string;
  readonly port: number;
  readonly tokenPath: string;
  readonly remoteNames: readonly string[];
  readonly record: HubRecord;
  readonly appsAddress: string | undefined;
  sources(): readonly ListedSource[];
  servers(): Promise<readonly ServerStatus[]>;
  settled(withinMs: number): Promise<void>;
  close(): Promise<void>;
}

interface Options extends Omit<HostPlace, "homedir">, HubOptions {
  readonly homedir?: string;
  readonly level?: LogLevel;
}

/** What `clawport up` runs, in this process. */
export async function openHub(options: Options): Promise<Hub> {
  const { home, configuration, env, log, version, askers, level, homedir: userHome = homedir(), ...http } = options;
  const place = { home, configuration, env, log, version, askers, logLevel: level, homedir: userHome };
  const engine = await openHost("up", place, http);
  const { port, tokenPath, remoteNames, address } = engine.http!;
  return {
    url: hubMcpUrl(address),
    port,
    tokenPath,
    remoteNames,
    record: engine.record as HubRecord,
    appsAddress: engine.apps?.address,
    sources: () => engine.catalog.sources(),
    servers: async () => (await engine.servers()).servers.list(),
    settled: (withinMs) => engine.settled(withinMs),
    close: () => engine.close(),
    [Symbol.asyncDispose]: () => engine.close(),
  };
}
