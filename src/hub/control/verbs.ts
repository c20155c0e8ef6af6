import type { CallContext } from "../../catalog/call-context.ts";
import type { ToolResult } from "../../mcp/messages/tool.ts";
import type { ListedTool } from "./queries/list-tools.ts";
import type { Control } from "./verb.ts";
import { approvals, audit, pins, rules, usage } from "./verbs/guard.ts";
import { presence } from "./verbs/presence.ts";
import { apps, servers, tools } from "./verbs/servers.ts";
import { clients, configuration, machine, tokens } from "./verbs/settings.ts";
import { signIns } from "./verbs/sign-ins.ts";
import { agent, conversations, doctor, status } from "./verbs/status.ts";

/** All of their verbs need the state folder only. */
export const folderVerbs = { tokens, approvals, pins, audit, conversations };

/**
 * Everything that can be asked of a running Clawport. Its type, the HTTP route, every client of it and its documentation
 * follow from this table.
 */
export const verbs = {
  servers,
  tools,
  signIns,
  ...folderVerbs,
  apps,
  configuration,
  rules,
  machine,
  agent,
  clients,
  doctor,
  usage,
  status,
  presence,
};

/** The part that a command does itself if no hub runs. */
export type FolderControl = Control<typeof folderVerbs>;

export type VerbControl = Control<typeof verbs>;

/** What a person or a page can ask: of the engine in this process, or of a hub over its socket. */
export type HubControl = VerbControl & { readonly tools: { readonly call: CallTool } };

/** Calls a tool through the guard. A remote call goes through the MCP endpoint, so that the hub can ask back. */
type CallTool = (
  tool: ListedTool,
  args: Readonly<Record<string, unknown>>,
  context: CallContext,
) => Promise<ToolResult>;
