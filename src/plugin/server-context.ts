import type { ServerStatus } from "../sources/servers/server-status.ts";

/** The servers that an agent may use, for its system prompt. The tools themselves are in its list of tools. */
export function serverContext(servers: readonly ServerStatus[], mayUse: (server: string) => boolean): string {
  const lines = servers
    .filter(({ name, state }) => state !== "disabled" && mayUse(name))
    .map(({ name, tools, state }) => `  <server name="${escape(name)}" tools="${tools}" status="${statusOf(state)}"/>`);
  return lines.length === 0 ? "" : ["<available-mcp-servers>", ...lines, "</available-mcp-servers>"].join("\n");
}

function statusOf(state: string): string {
  // A sleeping server starts with its first call: for the model it is there.
  return state === "ready" ? "connected" : state === "sleeping" ? "available" : escape(state);
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
