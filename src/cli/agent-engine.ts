import type { Guard } from "../catalog/guard/guard.ts";
import type { CallContext } from "../catalog/tool-source.ts";
import { defaultConfig } from "../core/config/default-config.ts";
import { findConfig } from "../core/config/find-config.ts";
import { Fault } from "../core/fault.ts";
import { type Home, openHome } from "../core/home.ts";
import type { ToolResult } from "../mcp/tool.ts";
import { checkOrderDepth, deeperEnv } from "../sources/agent/order-depth.ts";
import { orderTool } from "../sources/agent/order-tool.ts";
import type { AgentFlags } from "./agent-options.ts";
import { createClosers } from "./closers.ts";
import type { CommandContext } from "./command-context.ts";
import type { ConfigInForce } from "./config-of.ts";
import { createMcpCommand } from "./mcp-command.ts";
import { openAgent } from "./open-agent.ts";
import { openGuardedCatalog } from "./open-guarded-catalog.ts";
import { homePath } from "./open-home.ts";
import type { OpenedServers, OpenServersOptions } from "./open-servers.ts";
import { readVersion } from "./version.ts";

/** Everything behind `order_openclaw` in a process of its own: guard, audit, and an agent. */
export interface AgentEngine {
  /** How long an order may take before a client that knows tasks gets one instead of waiting. */
  readonly taskAfterMs: number | undefined;
  order(args: unknown, context: CallContext): Promise<ToolResult>;
  /** Waits for what was cancelled to be cancelled in the agent too. */
  close(): Promise<void>;
}

/** How long the first order that needs them waits for the configured servers to come up. */
const serversPatienceMs = 10_000;

export async function openAgentEngine(context: CommandContext, flags: AgentFlags): Promise<AgentEngine> {
  const { env, log } = context;
  const closers = createClosers(log);
  const home = await openHome(homePath(context), { log });
  const configuration = await loadOwnConfig(context);
  const { config } = configuration;
  const { catalog, guard } = openGuardedCatalog({ home, config, log, closers });
  let servers: Promise<OpenedServers> | undefined;
  const openOwnServers = (): Promise<OpenedServers> =>
    (servers ??= openServersOf({ catalog, guard, configuration, home, env, log, closers }));
  const agent = openAgent({
    catalog,
    guard,
    home,
    config: config.agent,
    world: context,
    flags,
    log,
    closers,
    caller: { door: "mcp-stdio", agent: "clawport" },
    mcp: createMcpCommand(async () => (await openOwnServers()).control),
    openTools: async () => (await openOwnServers()).manager.settled(serversPatienceMs),
  });
  agent.prepare();
  const own = catalog.view({ source: "agent" });
  const running = new Set<Promise<unknown>>();

  return {
    taskAfterMs: config.agent.taskAfterMs,
    async order(args, call) {
      checkOrderDepth(env);
      const tool = own.find(orderTool.name);
      if (tool === undefined)
        throw new Fault("denied", `The configuration leaves ${orderTool.name} out of the catalog.`);
      const result = guard.call(tool, args, call);
      running.add(result);
      try {
        return await result;
      } finally {
        running.delete(result);
      }
    },
    async close() {
      await Promise.allSettled(running);
      await closers.closeAll();
    },
  };
}

interface ServersHome extends Pick<OpenServersOptions, "catalog" | "env" | "log" | "closers"> {
  readonly configuration: ConfigInForce;
  readonly home: Home;
  readonly guard: Guard;
}

async function openServersOf({ configuration, home, guard, ...parts }: ServersHome): Promise<OpenedServers> {
  const { openServers } = await import("./open-servers.ts");
  const { openSampler } = await import("./open-sampler.ts");
  const { placeOf } = await import("./follow-config.ts");
  return openServers({
    ...parts,
    env: deeperEnv(parts.env),
    home,
    configuration,
    place: placeOf(configuration, home),
    version: readVersion(),
    sample: openSampler({ config: configuration.config.agent, guard, env: parts.env }),
    reload: () => Promise.resolve(),
  });
}

/**
 * Only a configuration that was named or lies in the state folder: clients start us in whatever folder they work in, and
 * a stranger's repository must not say where orders go.
 */
async function loadOwnConfig(context: CommandContext): Promise<ConfigInForce> {
  const home = homePath(context);
  const found = findConfig({ flag: context.globals.config, cwd: home, home });
  if (found === undefined) return { config: defaultConfig };
  const { loadConfig } = await import("../core/config/load-config.ts");
  const loaded = await loadConfig({ path: found.path, env: context.env });
  return { config: loaded.config, file: { ...found, ...loaded } };
}
