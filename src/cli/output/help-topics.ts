export interface HelpTopic {
  readonly name: string;
  readonly summary: string;
  /** The page that says more. */
  readonly page: string;
}

/** What `clawport help <topic>` knows, in the order of the help. A command names its topic in the command table. */
export const helpTopics: readonly HelpTopic[] = [
  { name: "hub", summary: "start, stop and check the hub", page: "docs/hub.md" },
  { name: "servers", summary: "add servers, and list and call their tools", page: "docs/servers.md" },
  { name: "clients", summary: "connect the programs that use the tools", page: "docs/clients.md" },
  { name: "approvals", summary: "decide what may run, and see what ran", page: "docs/guard.md" },
  { name: "computer", summary: "offer the screen, commands and files of this computer", page: "docs/node.md" },
  { name: "apps", summary: "offer the tools of your own app while it runs", page: "docs/proxy.md" },
  { name: "openclaw", summary: "hand jobs to OpenClaw or to a model", page: "docs/mcp-server.md" },
];

/** The commands of the first day; the others are under their topics. */
export const firstCommands: readonly string[] = [
  "up",
  "connect",
  "import",
  "install",
  "console",
  "approve",
  "audit",
  "doctor",
];
