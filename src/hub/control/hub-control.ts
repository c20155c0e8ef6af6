import type { CallContext } from "../../catalog/call-context.ts";
import type { ConfigLocation } from "../../core/config/find-config.ts";
import type { Tool, ToolResult } from "../../mcp/messages/tool.ts";
import type { ServerStatus } from "../../sources/servers/server-status.ts";
import type { SignInControl } from "./sign-in-control.ts";

/** A tool under its name in the catalog, with everything its source says of it. */
export interface ListedTool extends Tool {
  readonly source: string;
}

/** The file that the configuration in force was read from, or that would be read if it were there. */
export interface ConfigPlace {
  readonly path: string;
  readonly location: ConfigLocation;
}

/** What can be done with the servers, wherever they are kept: in this process, or in a hub that runs. */
export interface HubControl {
  /** Every configured server, also those that are switched off or were disconnected. */
  servers(): Promise<readonly ServerStatus[]>;
  /** All tools, or those of one source. */
  tools(source?: string): Promise<readonly ListedTool[]>;
  findTool(name: string): Promise<ListedTool | undefined>;
  /** Connects a configured server and reads its lists. Faults where that fails. */
  connect(name: string): Promise<ServerStatus>;
  /** Ends the connection until somebody asks for it again. The configuration stays as it is. */
  disconnect(name: string): Promise<ServerStatus>;
  /** Reads the lists of one server again, or of all. One of many that fails shows it in its status. */
  refresh(name?: string): Promise<readonly ServerStatus[]>;
  /** What the server last said on stderr. */
  logs(name: string): Promise<string>;
  readonly auth: SignInControl;
  configuration(): Promise<ConfigPlace>;
  /** Takes up what the configuration file says now. */
  reload(): Promise<void>;
}

/** Calls a tool that was found, through the guard. */
export interface ToolCaller {
  call(tool: ListedTool, args: Readonly<Record<string, unknown>>, context: CallContext): Promise<ToolResult>;
}
