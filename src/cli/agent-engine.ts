import { openAudit } from "../catalog/audit.ts";
import { createCatalog } from "../catalog/catalog.ts";
import { openApprovals } from "../catalog/guard/approvals.ts";
import { createAskers } from "../catalog/guard/askers.ts";
import { createGuard } from "../catalog/guard/guard.ts";
import { openPins } from "../catalog/guard/pins.ts";
import type { CallContext } from "../catalog/tool-source.ts";
import { defaultConfig } from "../core/config/default-config.ts";
import type { Config } from "../core/config/schema.ts";
import { Fault } from "../core/fault.ts";
import type { ToolResult } from "../mcp/tool.ts";
import { createAgentSource } from "../sources/agent/agent-source.ts";
import { createAgentTools } from "../sources/agent/agent-tools.ts";
import { orderTool } from "../sources/agent/order-tool.ts";
import { openBackend } from "./agent-backend.ts";
import type { AgentFlags } from "./agent-options.ts";
import { createClosers } from "./closers.ts";
import type { CommandContext } from "./command-context.ts";
import { hubFiles } from "./hub-files.ts";
import { homePath, openHomeOf } from "./open-home.ts";

/** Everything behind `order_openclaw` in a process of its own: guard, audit, and an agent. */
export interface AgentEngine {
  order(args: unknown, context: CallContext): Promise<ToolResult>;
  /** Waits for what was cancelled to be cancelled in the agent too. */
  close(): Promise<void>;
}

export async function openAgentEngine(context: CommandContext, flags: AgentFlags): Promise<AgentEngine> {
  const { log } = context;
  const closers = createClosers(log);
  const home = await openHomeOf(context);
  const config = await loadOwnConfig(context);
  const audit = config.audit.enabled
    ? openAudit({ ...config.audit, file: hubFiles.audit(home), log })
    : { record: () => {}, close: () => Promise.resolve() };
  closers.add("audit", () => audit.close());
  const pins = openPins({ file: hubFiles.pins(home), log });
  closers.add("pins", () => pins.close());
  const approvals = openApprovals({ file: hubFiles.approvals(home), log });
  const guard = createGuard({ policy: config.policy ?? {}, approvals, pins, askers: createAskers(), audit, log });
  const catalog = createCatalog({ ...config.catalog, log });
  closers.add("catalog", () => catalog.close());
  const view = catalog.view("all");
  const tools = createAgentTools({ view, guard, caller: { door: "mcp-stdio", agent: "clawport" } });
  const backend = openBackend({ world: context, flags, tools, log });
  closers.add("agent", () => backend[Symbol.asyncDispose]());
  catalog.add(
    createAgentSource({ getReply: backend.getReply, turnsFolder: () => Promise.resolve(home.file("agent", "turns")) }),
  );
  const running = new Set<Promise<unknown>>();

  return {
    async order(args, call) {
      const tool = catalog.view({ source: "agent" }).find(orderTool.name);
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

/**
 * Only a configuration that was named or lies in the state folder: clients start us in whatever folder they work in, and
 * a stranger's repository must not say where orders go.
 */
async function loadOwnConfig(context: CommandContext): Promise<Config> {
  const { findConfig } = await import("../core/config/find-config.ts");
  const home = homePath(context);
  const found = findConfig({ flag: context.globals.config, cwd: home, home });
  if (found === undefined) return defaultConfig;
  const { loadConfig } = await import("../core/config/load-config.ts");
  return (await loadConfig({ path: found.path, env: context.env })).config;
}
