import type { CommandEntry } from "./command.ts";

/** Every command, in the order of the help. Only the requested one is loaded. */
export const commandTable: readonly CommandEntry[] = [
  ...under("hub", [
    { name: "up", summary: "start the hub", load: () => import("./commands/up.ts") },
    { name: "stop", summary: "stop the running hub", load: () => import("./commands/stop.ts") },
    { name: "console", summary: "open the hub's page in your browser", load: () => import("./commands/console.ts") },
    { name: "tray", summary: "show an icon with a menu in your panel", load: () => import("./commands/tray.ts") },
    { name: "pause", summary: "refuse all calls until you resume", load: () => import("./commands/pause.ts") },
    {
      name: "status",
      summary: "show the hub, and the details of its servers' connections",
      load: () => import("./commands/status.ts"),
    },
    {
      name: "logs",
      summary: "show the hub's log, or a server's output on stderr",
      load: () => import("./commands/logs.ts"),
    },
    { name: "doctor", summary: "check the set-up and show how to fix it", load: () => import("./commands/doctor.ts") },
    { name: "config", summary: "find and check the configuration", load: () => import("./commands/config.ts") },
    { name: "service", summary: "run the hub as a systemd user service", load: () => import("./commands/service.ts") },
    {
      name: "completion",
      summary: "print the completion script for your shell",
      load: () => import("./commands/completion.ts"),
    },
  ]),
  ...under("servers", [
    { name: "connect", summary: "add a server and connect to it", load: () => import("./commands/connect.ts") },
    {
      name: "import",
      summary: "import the MCP servers of other programs",
      load: () => import("./commands/import.ts"),
    },
    {
      name: "servers",
      summary: "list the MCP servers and their status",
      load: () => import("./commands/servers.ts"),
    },
    { name: "tools", summary: "list the tools, or show how one is called", load: () => import("./commands/tools.ts") },
    { name: "call", summary: "call a tool", load: () => import("./commands/call.ts") },
    { name: "run", summary: "run a script over the tools", load: () => import("./commands/run.ts") },
    {
      name: "sandbox",
      summary: "find the sandbox that a server works in",
      load: () => import("./commands/sandbox.ts"),
    },
    {
      name: "secret",
      summary: "keep secrets for the configuration, encrypted",
      load: () => import("./commands/secret.ts"),
    },
    { name: "auth", summary: "sign in to a server, or out", load: () => import("./commands/auth.ts") },
    { name: "refresh", summary: "fetch the servers' tools again", load: () => import("./commands/refresh.ts") },
    { name: "disconnect", summary: "close a server's connection", load: () => import("./commands/disconnect.ts") },
  ]),
  ...under("clients", [
    {
      name: "install",
      summary: "connect an MCP client, such as Claude Code or Cursor",
      load: () => import("./commands/install.ts"),
    },
    { name: "uninstall", summary: "remove Clawport from an MCP client", load: () => import("./commands/uninstall.ts") },
    {
      name: "clients",
      summary: "list the MCP clients, or show what to paste into one",
      load: () => import("./commands/clients.ts"),
    },
    {
      name: "serve",
      summary: "offer the configured servers as one MCP server",
      load: () => import("./commands/serve.ts"),
    },
    {
      name: "token",
      summary: "manage the tokens that give access to the hub",
      load: () => import("./commands/token.ts"),
    },
  ]),
  ...under("approvals", [
    {
      name: "approvals",
      summary: "show what waits for approval; show or forget remembered answers",
      load: () => import("./commands/approvals.ts"),
    },
    {
      name: "approve",
      summary: "allow a call that waits for approval, or accept a change",
      load: () => import("./commands/approve.ts"),
    },
    {
      name: "rule",
      summary: "add, list and remove the rules that decide calls",
      load: () => import("./commands/rule.ts"),
    },
    {
      name: "pins",
      summary: "show what servers changed, and what is held back",
      load: () => import("./commands/pins.ts"),
    },
    {
      name: "screen",
      summary: "show what the rules of screening find in definitions or a result",
      load: () => import("./commands/screen.ts"),
    },
    {
      name: "audit",
      summary: "show the calls that were made, and their outcome",
      load: () => import("./commands/audit.ts"),
    },
    {
      name: "usage",
      summary: "show what was called how often, and what it cost in tokens",
      load: () => import("./commands/usage.ts"),
    },
  ]),
  ...under("computer", [
    { name: "node", summary: "offer the tools of this computer", load: () => import("./commands/node.ts") },
  ]),
  ...under("apps", [
    { name: "apps", summary: "list the connected apps and their tools", load: () => import("./commands/apps.ts") },
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
  ]),
  ...under("openclaw", [
    {
      name: "mcp-server",
      summary: "serve order_openclaw to an MCP client",
      load: () => import("./commands/mcp-server.ts"),
    },
    { name: "agent", summary: "send an order to the agent", load: () => import("./commands/agent.ts") },
    {
      name: "sessions",
      summary: "list, show and delete the agent's conversations",
      load: () => import("./commands/sessions.ts"),
    },
  ]),
];

function under(topic: string, entries: readonly CommandEntry[]): readonly CommandEntry[] {
  return entries.map((entry) => ({ ...entry, topic }));
}
