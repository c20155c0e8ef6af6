import { visibleText } from "../../../catalog/guard/visible-text.ts";
import type { ServerStatus } from "../server-status.ts";
import { authText } from "./auth-text.ts";
import type { Handled, HandlerContext } from "./handled.ts";
import { stateText } from "./state-text.ts";

const line = "─".repeat(58);
const narrowest = 16;

/** `servers`: every configured server, where it stands, how it is signed in to, and how many tools it has. */
export async function handleServers(context: HandlerContext): Promise<Handled> {
  const servers = await context.control.servers();
  const title = `MCP Servers (${servers.length} configured)`;
  if (servers.length === 0) {
    const how = `Add one with: ${context.prefix} connect <address or command>`;
    return { ok: true, data: { servers }, text: `${title}\n${how}` };
  }
  const width = servers.reduce((most, { name }) => Math.max(most, name.length + 2), narrowest);
  const blocks = servers.map((server) => renderServer(server, width, context));
  return { ok: true, data: { servers }, text: [title, line, blocks.join("\n\n"), line].join("\n") };
}

function renderServer(server: ServerStatus, width: number, context: HandlerContext): string {
  const status = `Status: ${stateText(server, context)} | Auth: ${authText(server, context.now())} | Tools: ${server.tools}`;
  const address = visibleText(server.address, 300);
  return `  ${server.name.padEnd(width)}${address}\n${" ".repeat(width + 2)}${status}`.trimEnd();
}
