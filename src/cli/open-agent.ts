import type { Catalog } from "../catalog/catalog.ts";
import type { Caller } from "../catalog/caller.ts";
import type { Guard } from "../catalog/guard/guard.ts";
import type { View } from "../catalog/view.ts";
import type { AgentConfig } from "../core/config/agent-schema.ts";
import type { Home } from "../core/home.ts";
import type { Log } from "../core/log.ts";
import { createAgentSource } from "../sources/agent/agent-source.ts";
import { type AgentTools, createAgentTools } from "../sources/agent/agent-tools.ts";
import type { ChosenBackend } from "../sources/agent/choose-backend.ts";
import type { McpCommand } from "../sources/agent/commands/commands-backend.ts";
import type { KeepMedia } from "../sources/agent/keep-media.ts";
import { createTranscriber } from "../sources/agent/transcribe/transcriber.ts";
import { openBackend } from "./agent-backend.ts";
import type { AgentFlags } from "./agent-options.ts";
import type { Closers } from "./closers.ts";
import { orderBodies } from "./order-bodies.ts";
import { sweepIncoming } from "./sweep-incoming.ts";
import type { World } from "./world.ts";

export interface OpenAgentOptions {
  readonly catalog: Catalog;
  readonly guard: Guard;
  readonly home: Home;
  readonly config: AgentConfig;
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
  const { catalog, guard, home, config, world, flags, log, closers, caller, mcp } = options;
  let opened: Promise<void> | undefined;
  const toolsOf = (view: View) => {
    const tools = createAgentTools({ view, guard, caller });
    return async (): Promise<AgentTools> => {
      await (opened ??= options.openTools?.() ?? Promise.resolve());
      return tools;
    };
  };
  const backend = openBackend({
    world,
    flags,
    config,
    log,
    mcp,
    sessionsFolder: home.file("agent", "sessions"),
    tools: toolsOf(catalog.view("all")),
    modelTools: toolsOf(catalog.view("all", { alphabet: "narrow" })),
  });
  const { folder } = orderBodies(home.path).spill;
  // Once the first order is out of the way: a client waits for that.
  setTimeout(() => void sweepIncoming(folder, log), 1000).unref();
  closers.add("agent", () => backend[Symbol.asyncDispose]());
  catalog.add(
    createAgentSource({
      getReply: backend.getReply,
      turnsFolder: home.file("agent", "turns"),
      idleMs: config.idleTimeoutMs,
      taskAfterMs: config.taskAfterMs,
      transcriber: config.transcription && createTranscriber({ config: config.transcription, env: world.env, folder }),
      keep: keepIn(home.file("results"), log),
    }),
  );
  return backend;
}

/** In the folder where all saved media of answers go, and are swept together. */
function keepIn(folder: string, log: Log): KeepMedia {
  return async (media, content) => {
    const { createMediaKeeper } = await import("../sources/agent/keep-media.ts");
    const { sweepResults } = await import("./servers/sweep-results.ts");
    const path = await createMediaKeeper(folder)(media, content);
    await sweepResults(folder, log, Date.now());
    return path;
  };
}
