import type { CallContext } from "../catalog/call-context.ts";
import { defaultConfig, findConfig } from "../core/config/find-config.ts";
import { Fault } from "../core/fault.ts";
import { openHome } from "../core/files/home.ts";
import { readVersion } from "../core/version.ts";
import type { ToolResult } from "../mcp/messages/tool.ts";
import { checkOrderDepth } from "../sources/agent/order/order-depth.ts";
import { orderTool } from "../sources/agent/order/order-tool.ts";
import type { ActiveConfig } from "./active-config.ts";
import { configFile } from "./engine/config-source.ts";
import { openEngine } from "./engine/engine.ts";
import type { AgentFlags } from "./engine/open-agent.ts";
import type { Host } from "./host.ts";
import { homePath } from "./open-home.ts";

/** The engine behind `order_openclaw` in a process of its own: guard, audit, and an agent. */
export interface OrderEngine {
  /** How long an order may take before a client that knows tasks gets one instead of waiting. */
  readonly taskAfterMs: number | undefined;
  order(args: unknown, context: CallContext): Promise<ToolResult>;
  /** Waits until cancelled orders are cancelled in the agent, too. */
  close(): Promise<void>;
}

export async function openOrderEngine(host: Host, flags: AgentFlags): Promise<OrderEngine> {
  const { env, homedir, log } = host;
  const home = await openHome(homePath(host), { log });
  const configuration = await loadOwnConfig(host);
  const engine = await openEngine({
    home,
    configuration: configFile({ home, configuration, env }),
    env,
    homedir,
    log,
    version: readVersion(),
    sources: { servers: { start: "when-needed" }, agent: { flags } },
  });
  engine.prepareAgent();
  const own = engine.catalog.view({ source: "agent" });
  const running = new Set<Promise<unknown>>();

  return {
    taskAfterMs: configuration.config.agent.taskAfterMs,
    async order(args, call) {
      checkOrderDepth(env);
      const tool = own.find(orderTool.name);
      if (tool === undefined)
        throw new Fault("denied", `The configuration leaves ${orderTool.name} out of the catalog.`);
      const result = engine.guard.call(tool, args, call);
      running.add(result);
      try {
        return await result;
      } finally {
        running.delete(result);
      }
    },
    async close() {
      await Promise.allSettled(running);
      await engine.close();
    },
  };
}

/**
 * Only a configuration that was named or is in the state folder: clients start us in whatever folder they work in, and
 * a stranger's repository must not decide where orders go.
 */
async function loadOwnConfig(host: Host): Promise<ActiveConfig> {
  const home = homePath(host);
  const found = findConfig({ flag: host.globals.config, cwd: home, home });
  if (found === undefined) return { config: defaultConfig };
  const { loadNamedConfig } = await import("./load-named-config.ts");
  const loaded = await loadNamedConfig({ path: found.path, env: host.env }, found.location);
  return { config: loaded.config, file: { ...found, ...loaded } };
}
