import type { Config } from "./schema.ts";

/** What holds where no configuration exists. A plain constant: the usual start must not load the schema for it. */
export const defaultConfig: Config = {
  hub: { host: "127.0.0.1", port: 8765, allowRemote: false, maxConcurrent: 256, maxBodyBytes: 4_194_304 },
  log: { level: "info", format: "human" },
  catalog: { include: ["*"], exclude: [] },
  audit: { enabled: true, maxBytes: 10_485_760, keep: 5 },
  agent: { backend: "auto", id: "main" },
  apps: {
    serve: false,
    host: "127.0.0.1",
    port: 8000,
    allowedHosts: [],
    allowedOrigins: [],
    show: false,
    prefix: "app",
  },
  servers: {},
  toolDiscoveryInterval: 300_000,
  maxConcurrentServers: 20,
  debug: false,
};
