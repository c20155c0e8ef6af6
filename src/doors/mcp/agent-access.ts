import type { GivenApproval } from "../../catalog/advice.ts";
import type { Caller } from "../../catalog/caller.ts";
import type { CatalogTool } from "../../catalog/source.ts";
import type { ViewFilter } from "../../catalog/view.ts";
import type { ToolResult } from "../../mcp/messages/tool.ts";
import type { TokenMatch } from "./gate.ts";

/**
 * How the agent of the program that hosts a door uses it: with one token for all calls, which proves nothing about the
 * agent, and with something in the arguments of each call that does.
 */
export interface AgentAccess {
  /** The match of the agent's token; undefined for any other. */
  match(presented: string): TokenMatch | undefined;
  /** What is at this address, `/mcp/<name>`; undefined if there is none. */
  viewAt(name: string): ViewFilter | undefined;
  /** Takes what says who asked out of the arguments. */
  redeem(tool: CatalogTool, args: Readonly<Record<string, unknown>>): RedeemedCall;
  /** A result in the form that the agent can use. */
  present(tool: CatalogTool, result: ToolResult): ToolResult | Promise<ToolResult>;
}

export interface RedeemedCall {
  /** A new object, without what says who asked. */
  readonly args: Readonly<Record<string, unknown>>;
  readonly caller: Omit<Caller, "door">;
  /** The user's answer, if they were asked already. */
  readonly approval?: GivenApproval | undefined;
}
