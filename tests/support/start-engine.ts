import { type Catalog, createCatalog } from "../../src/catalog/catalog.ts";
import type { CallContext } from "../../src/catalog/call-context.ts";
import { loadConfig } from "../../src/core/config/load-config.ts";
import type { Log } from "../../src/core/log.ts";
import type { ToolResult } from "../../src/mcp/messages/tool.ts";
import { defineServers, type ServerDefinition } from "../../src/sources/servers/definition.ts";
import {
  createServerManager,
  type ServerManager,
  type ServerManagerOptions,
} from "../../src/sources/servers/manager.ts";
import { createAuthRegistry } from "../../src/sources/servers/oauth/auth-registry.ts";
import { createMemoryCredentials } from "./memory-credentials.ts";
import { type ContextParts, testContext } from "./test-source.ts";
import { reachTool } from "../../src/catalog/guard/reach-source.ts";

export interface LogLine {
  readonly message: string;
  readonly fields: Record<string, unknown>;
}

/** The engine with its servers, as it runs in the hub, without a door in front. */
export interface Engine extends AsyncDisposable {
  readonly manager: ServerManager;
  readonly catalog: Catalog;
  readonly lines: LogLine[];
  /** Calls a tool by its name in the catalog, past the guard: faults come as they are. */
  call(
    name: string,
    args?: object,
    context?: ContextParts & Partial<Pick<CallContext, "progress">>,
  ): Promise<ToolResult>;
  toolNames(): string[];
}

export async function startEngine(
  servers: Readonly<Record<string, object>>,
  options: Partial<ServerManagerOptions> = {},
  settleMs = 15_000,
): Promise<Engine> {
  const lines: LogLine[] = [];
  const catalog = createCatalog();
  const log = keepingLog(lines);
  const env = { PATH: process.env.PATH };
  const manager = createServerManager({
    auths: signedInToNothing(env, log),
    catalog,
    env,
    log,
    version: "0.0.0",
    maxConcurrent: 20,
    discoveryMs: 0,
    ...options,
  });
  await manager.apply(await defined(servers));
  await manager.settled(settleMs);
  return {
    manager,
    catalog,
    lines,
    async call(name, args = {}, parts = {}) {
      const tool = catalog.find(name);
      if (!tool)
        throw new Error(
          `There is no tool ${name} among: ${catalog
            .tools()
            .map((each) => each.name)
            .join()}`,
        );
      return reachTool(tool, args).run({
        ...testContext(parts),
        ...(parts.progress ? { progress: parts.progress } : {}),
      });
    },
    toolNames: () => catalog.tools().map(({ name }) => name),
    async [Symbol.asyncDispose]() {
      await manager.close();
      catalog.close();
    },
  };
}

/** Servers as the configuration file would name them. */
export async function defined(servers: Readonly<Record<string, object>>): Promise<readonly ServerDefinition[]> {
  const { config } = await loadConfig({ path: "clawport.json5", text: JSON.stringify({ servers }), env: {} });
  const { definitions, problems } = defineServers(config);
  if (problems.length > 0) throw new Error(JSON.stringify(problems));
  return definitions;
}

function signedInToNothing(env: NodeJS.ProcessEnv, log: Log) {
  const store = createMemoryCredentials();
  const home = { file: (...parts: string[]) => `nowhere/${parts.join("/")}` };
  return createAuthRegistry({ home, store: () => Promise.resolve(store), env, log });
}

function keepingLog(lines: LogLine[]): Log {
  const keep = (message: string, fields: Record<string, unknown> = {}) => void lines.push({ message, fields });
  const log: Log = { debug: keep, info: keep, warn: keep, error: keep, with: () => log };
  return log;
}
