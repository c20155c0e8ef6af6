import type { CommandEntry } from "./command.ts";

/** Every command, in the order the help shows them. Only the one that was asked for is ever loaded. */
export const commandTable: readonly CommandEntry[] = [
  { name: "up", summary: "start the hub", load: () => import("./commands/up.ts") },
  { name: "agent", summary: "hand an order to the agent", load: () => import("./commands/agent.ts") },
  { name: "sessions", summary: "the conversations of orders", load: () => import("./commands/sessions.ts") },
  {
    name: "mcp-server",
    summary: "serve order_openclaw to an MCP client",
    load: () => import("./commands/mcp-server.ts"),
  },
  {
    name: "serve",
    summary: "offer the configured servers as one MCP server",
    load: () => import("./commands/serve.ts"),
  },
  {
    name: "servers",
    summary: "list the MCP servers and where each stands",
    load: () => import("./commands/servers.ts"),
  },
  { name: "tools", summary: "list the tools", load: () => import("./commands/tools.ts") },
  { name: "call", summary: "call a tool", load: () => import("./commands/call.ts") },
  { name: "connect", summary: "add a server and connect it", load: () => import("./commands/connect.ts") },
  { name: "disconnect", summary: "end a server's connection", load: () => import("./commands/disconnect.ts") },
  { name: "auth", summary: "sign in to a server", load: () => import("./commands/auth.ts") },
  { name: "status", summary: "all there is to know about a server", load: () => import("./commands/status.ts") },
  { name: "refresh", summary: "ask servers again what they offer", load: () => import("./commands/refresh.ts") },
  { name: "logs", summary: "what a server said on stderr", load: () => import("./commands/logs.ts") },
  {
    name: "proxy",
    summary: "let running apps offer their tools",
    load: () => import("./commands/proxy.ts"),
  },
  {
    name: "proxy-stdio",
    summary: "serve one app session to an MCP client",
    load: () => import("./commands/proxy-stdio.ts"),
  },
  { name: "service", summary: "run the hub as a service of this user", load: () => import("./commands/service.ts") },
  { name: "doctor", summary: "check the set-up and say how to mend it", load: () => import("./commands/doctor.ts") },
  { name: "config", summary: "find, check and describe the configuration", load: () => import("./commands/config.ts") },
  {
    name: "import",
    summary: "take over the MCP servers that other programs know",
    load: () => import("./commands/import.ts"),
  },
  { name: "token", summary: "the tokens that open the hub", load: () => import("./commands/token.ts") },
  {
    name: "audit",
    summary: "which calls were made, and what became of them",
    load: () => import("./commands/audit.ts"),
  },
  {
    name: "approvals",
    summary: "remembered answers to the guard's questions",
    load: () => import("./commands/approvals.ts"),
  },
  {
    name: "approve",
    summary: "allow a tool that waits for a yes, or accept its change",
    load: () => import("./commands/approve.ts"),
  },
  { name: "completion", summary: "completion for your shell", load: () => import("./commands/completion.ts") },
];
