import type { AgentTools } from "../sources/agent/agent-tools.ts";
import { createCommandsBackend } from "../sources/agent/commands/commands-backend.ts";
import type { ReplyBackend } from "../sources/agent/reply.ts";
import type { CommandContext } from "./command-context.ts";

export interface BackendOptions {
  readonly context: CommandContext;
  readonly tools: AgentTools;
}

/** The agent that orders go to. */
export function openBackend({ tools }: BackendOptions): ReplyBackend {
  return createCommandsBackend({ tools, waysToAnAgent: [] });
}
