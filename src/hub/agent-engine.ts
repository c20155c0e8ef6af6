import type { Guard } from "../catalog/guard/guard.ts";
import type { CallContext } from "../catalog/call-context.ts";
import type { AgentFlags } from "../cli/agent-options.ts";
import type { CommandContext } from "../cli/command-context.ts";
import type { ActiveConfig } from "../cli/config-of.ts";
import { homePath } from "../cli/open-home.ts";
import { defaultConfig, findConfig } from "../core/config/find-config.ts";
import { Fault } from "../core/fault.ts";
import { type Home, openHome } from "../core/files/home.ts";
import { readVersion } from "../core/version.ts";
import type { ToolResult } from "../mcp/messages/tool.ts";
import { checkOrderDepth, nestedOrderEnv } from "../sources/agent/order/order-depth.ts";
import { orderTool } from "../sources/agent/order/order-tool.ts";
import { createClosers } from "./closers.ts";
import { openAgent } from "./open-agent.ts";
import { openGuardedCatalog } from "./open-guard.ts";
import type { OpenedServers, OpenServersOptions } from "./open-servers.ts";
import { createMcpCommand } from "./verbs/mcp-command.ts";

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
  readonly configuration: ActiveConfig;
  readonly home: Home;
  readonly guard: Guard;
}

async function openServersOf({ configuration, home, guard, ...parts }: ServersHome): Promise<OpenedServers> {
  const { openServers } = await import("./open-servers.ts");
  const { openSampler } = await import("./open-servers.ts");
  const { placeOf } = await import("./follow-config.ts");
  return openServers({
    ...parts,
    env: nestedOrderEnv(parts.env),
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
async function loadOwnConfig(context: CommandContext): Promise<ActiveConfig> {
  const home = homePath(context);
  const found = findConfig({ flag: context.globals.config, cwd: home, home });
  if (found === undefined) return { config: defaultConfig };
  const { loadConfig } = await import("../core/config/load-config.ts");
  const loaded = await loadConfig({ path: found.path, env: context.env });
  return { config: loaded.config, file: { ...found, ...loaded } };
}
