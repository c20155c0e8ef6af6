import { existsSync } from "node:fs";
import type { OrderContext } from "../sources/agent/order/run-order.ts";
import { defaultConfig, findConfig } from "../core/config/find-config.ts";
import { Fault } from "../core/fault.ts";
import { type Home, openHome } from "../core/files/home.ts";
import { readVersion } from "../core/version.ts";
import type { ToolResult } from "../mcp/messages/tool.ts";
import { checkOrderDepth, isTopOrder } from "../sources/agent/order/order-depth.ts";
import { orderTool } from "../sources/agent/order/order-tool.ts";
import type { ActiveConfig } from "./state/active-config.ts";
import { placeOf } from "./engine/config-source.ts";
import type { AgentFlags } from "./engine/open-agent.ts";
import type { Host } from "./state/host.ts";
import { hubFiles } from "./state/hub-files.ts";
import { homePath } from "./state/open-home.ts";
import { openHost } from "./hosts.ts";
import type { OrderHub, OrderPlace } from "./order-relay.ts";
import { loadNamedConfig } from "./state/load-named-config.ts";

/** The engine behind `order_openclaw` in a process of its own: guard, audit, and an agent. */
export interface OrderEngine {
  /** How long an order may take before a client that knows tasks gets one instead of waiting. */
  readonly taskAfterMs: number | undefined;
  order(args: unknown, context: OrderContext): Promise<ToolResult>;
  /** Waits until cancelled orders are cancelled in the agent, too. */
  close(): Promise<void>;
}

/**
 * Orders go to the running hub if there is one, which has its servers connected and its agent open. Without one, this
 * process opens its own.
 */
export async function openOrderEngine(host: Host, flags: AgentFlags, from: OrderPlace): Promise<OrderEngine> {
  const { env, log } = host;
  const home = await openHome(homePath(host), { log });
  const configuration = await loadOwnConfig(host);
  let own: Promise<OrderEngine> | undefined;
  const openOwn = (): Promise<OrderEngine> => (own ??= openOwnEngine(host, flags, home, configuration));
  if ((await findRelay()) === undefined) await openOwn();
  const relayed = new Set<Promise<unknown>>();

  return {
    taskAfterMs: configuration.config.agent.taskAfterMs,
    async order(args, call) {
      checkOrderDepth(env);
      const result = (await findRelay())?.order(args, call);
      if (result !== undefined) {
        relayed.add(result);
        try {
          const answer = await result;
          if (answer !== undefined) return answer;
        } finally {
          relayed.delete(result);
        }
      }
      return (await openOwn()).order(args, call);
    },
    async close() {
      await Promise.allSettled(relayed);
      await (await own)?.close();
    },
  };

  /** A hub may start and stop at any time, so each order looks for one. */
  async function findRelay(): Promise<OrderHub | undefined> {
    // An agent that the command names is for this command alone, and a hub does not know how deep an order is nested.
    const { gateway, token, password, agent } = flags;
    const isNamed = [gateway, token, password, agent].some((flag) => flag !== undefined);
    if (isNamed || !isTopOrder(env) || !existsSync(hubFiles.record(home))) return undefined;
    const { findOrderHub } = await import("./order-relay.ts");
    return findOrderHub(host, home, placeOf(configuration, home).path, from);
  }
}

async function openOwnEngine(
  host: Host,
  flags: AgentFlags,
  home: Home,
  configuration: ActiveConfig,
): Promise<OrderEngine> {
  const { env, homedir, log } = host;
  const engine = await openHost("orders", { home, configuration, env, homedir, log, version: readVersion() }, flags);
  engine.prepareAgent();
  const own = engine.catalog.view({ source: "agent" });
  const running = new Set<Promise<unknown>>();

  return {
    taskAfterMs: configuration.config.agent.taskAfterMs,
    async order(args, call) {
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
  const loaded = await loadNamedConfig({ path: found.path, home, env: host.env }, found.location);
  return { config: loaded.config, file: { ...found, ...loaded } };
}
