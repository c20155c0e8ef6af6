import type { Catalog } from "../catalog/catalog.ts";
import type { Caller } from "../catalog/caller.ts";
import type { Guard } from "../catalog/guard/guard.ts";
import type { Home } from "../core/home.ts";
import type { Log } from "../core/log.ts";
import { createAgentSource } from "../sources/agent/agent-source.ts";
import { createAgentTools } from "../sources/agent/agent-tools.ts";
import type { ChosenBackend } from "../sources/agent/choose-backend.ts";
import type { McpCommand } from "../sources/agent/commands/commands-backend.ts";
import { openBackend } from "./agent-backend.ts";
import type { AgentFlags } from "./agent-options.ts";
import type { Closers } from "./closers.ts";
import type { World } from "./world.ts";

export interface OpenAgentOptions {
  readonly catalog: Catalog;
  readonly guard: Guard;
  readonly home: Home;
  readonly world: Pick<World, "env" | "homedir">;
  readonly flags: AgentFlags;
  readonly log: Log;
  readonly closers: Closers;
  /** As whom an agent of ours calls tools. */
  readonly caller: Caller;
  /** Puts the tools into the catalog that an agent of ours may use; called when the first order needs them. */
  openTools?(): Promise<void>;
  readonly mcp?: McpCommand | undefined;
}

/** Puts `order_openclaw` into a catalog, with an agent behind it. */
export function openAgent(options: OpenAgentOptions): ChosenBackend {
  const { catalog, guard, home, world, flags, log, closers, caller, mcp } = options;
  const tools = createAgentTools({ view: catalog.view("all"), guard, caller });
  let opened: Promise<void> | undefined;
  const backend = openBackend({
    world,
    flags,
    log,
    mcp,
    async tools() {
      await (opened ??= options.openTools?.() ?? Promise.resolve());
      return tools;
    },
  });
  closers.add("agent", () => backend[Symbol.asyncDispose]());
  const turns = home.file("agent", "turns");
  catalog.add(createAgentSource({ getReply: backend.getReply, turnsFolder: () => Promise.resolve(turns) }));
  return backend;
}
