import { statSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Config } from "./config-schema.ts";

export type ConfigLocation = "flag" | "working-folder" | "state-folder";

export interface FoundConfig {
  readonly path: string;
  readonly location: ConfigLocation;
}

export interface ConfigPlaces {
  /** The value of `--config`. */
  readonly flag?: string | undefined;
  readonly cwd: string;
  /** The state folder, which need not exist. */
  readonly home: string;
}

export const configName = "clawport.json5";

/** A file given by `--config` is returned even if it does not exist: the reader reports that. Undefined if none is found. */
export function findConfig({ flag, cwd, home }: ConfigPlaces): FoundConfig | undefined {
  if (flag) return { path: resolve(cwd, flag), location: "flag" };
  const [here, own] = [join(cwd, configName), join(home, configName)];
  const [found, owned] = [here, own].map((path) => statSync(path, { throwIfNoEntry: false, bigint: true }));
  // In the state folder itself, both are the owner's.
  const isOwners = owned !== undefined && found?.ino === owned.ino && found.dev === owned.dev;
  if (found !== undefined && !isOwners) return { path: here, location: "working-folder" };
  return owned && { path: own, location: "state-folder" };
}

/** Used if there is no configuration file. A plain constant, so that the usual start need not load the schema. */
export const defaultConfig: Config = {
  hub: {
    host: "127.0.0.1",
    port: 8765,
    allowRemote: false,
    maxConcurrent: 256,
    maxBodyBytes: 4_194_304,
    toolNames: "short",
    surface: "auto",
    scripts: "auto",
    always: [],
  },
  log: { level: "info", format: "human" },
  catalog: { include: ["*"], exclude: [] },
  audit: { enabled: true, maxBytes: 10_485_760, keep: 5, required: false, arguments: false, chain: false },
  results: { maxTokens: 25_000, keep: 3_600_000, maxBytes: 268_435_456 },
  scripts: { timeout: 3_600_000, parallel: 8, maxCalls: 1000, memoryMb: 64 },
  agent: { backend: "auto", id: "main" },
  apps: {
    serve: false,
    host: "127.0.0.1",
    port: 8000,
    allowedHosts: [],
    allowedOrigins: [],
    show: false,
    open: false,
    prefix: "app",
  },
  machine: {
    enabled: false,
    maxConcurrent: 8,
    callTimeoutMs: 660_000,
    consent: {},
    run: { remoteGrants: false, gatewayApprovals: false, pidNamespace: "auto" },
    location: {},
    camera: { testDevices: [] },
    microphone: "default",
    stt: { command: [] },
    git: { roots: [] },
    canvas: { trustedOrigins: [], privateAddresses: false, sandbox: true },
  },
  servers: {},
  toolDiscoveryInterval: 300_000,
  maxConcurrentServers: 20,
  debug: false,
};
