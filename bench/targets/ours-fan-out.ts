import { createCatalog } from "../../src/catalog/catalog.ts";
import { loadConfig } from "../../src/core/config/load-config.ts";
import { silentLog } from "../../src/core/log.ts";
import { defineServers } from "../../src/sources/servers/definition.ts";
import { createServerManager } from "../../src/sources/servers/manager.ts";
import { readServers, reportListed } from "./fan-out.ts";

// The same command for all of them: shared, they would be one process, and nothing would be measured.
const servers = Object.fromEntries(
  Object.entries(readServers()).map(([name, each]) => [name, { ...each, share: false }]),
);
const text = JSON.stringify({ servers, maxConcurrentServers: 100 });
const { config } = await loadConfig({ path: "clawport.json5", text, env: {} });
const catalog = createCatalog();
const manager = createServerManager({
  catalog,
  env: process.env,
  log: silentLog,
  version: "0",
  maxConcurrent: config.maxConcurrentServers,
  discoveryMs: config.toolDiscoveryInterval,
});
await manager.apply(defineServers(config).definitions);
await manager.settled(30_000);
reportListed(catalog.tools().length);
await manager.close();
process.exit(0);
