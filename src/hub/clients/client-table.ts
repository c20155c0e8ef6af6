import { join } from "node:path";
import { openclawStateFolder } from "../../core/files/resolve-home.ts";
import type { Env } from "../../core/process/child-env.ts";
import { openclawPaths } from "../../openclaw/openclaw-paths.ts";

/** What decides where a client keeps its files. */
export interface ClientMachine {
  readonly homedir: string;
  readonly platform: string;
  readonly env: Env;
}

/** The command that a client starts to reach the hub. */
export interface ClientCommand {
  readonly command: string;
  readonly args: readonly string[];
}

/** An MCP client whose own user file Clawport can enter itself into. */
export interface McpClient {
  readonly id: string;
  readonly title: string;
  /** The user's file, never a project's. */
  file(machine: ClientMachine): string;
  /** What shows that the client is used here, if it has no file yet; the folder of its file unless given. */
  traces?(machine: ClientMachine): readonly string[];
  readonly format: "json" | "toml";
  /** Where the file keeps its servers. */
  readonly at: readonly string[];
  /** The entry that starts `clawport serve --stdio`: no token is in it, and it follows the hub to another port. */
  entry(command: ClientCommand): Readonly<Record<string, unknown>>;
  /** The entry for HTTP, with a reference to the token; undefined if the file takes commands only. */
  httpEntry?(url: string): Readonly<Record<string, unknown>>;
  /** What else the HTTP entry needs in the file. */
  readonly httpExtra?: Readonly<Record<string, unknown>>;
  /** Tools that it must not be offered. */
  readonly without?: "orders";
  /** What to do once the entry is written. */
  readonly next: string;
}

/** No client should give up before the hub does, whose limit progress extends. Each knows it by a name of its own. */
const hourMs = 3_600_000;
const bearer = (reference: string) => ({ headers: { Authorization: `Bearer ${reference}` } });

export const mcpClients: readonly McpClient[] = [
  {
    id: "claude-code",
    title: "Claude Code",
    file: ({ env, homedir }) => join(env["CLAUDE_CONFIG_DIR"] || homedir, ".claude.json"),
    traces: ({ env, homedir }) => [env["CLAUDE_CONFIG_DIR"] || join(homedir, ".claude")],
    format: "json",
    at: ["mcpServers"],
    entry: (command) => ({ type: "stdio", ...command }),
    httpEntry: (url) => ({ type: "http", url, ...bearer("${CLAWPORT_TOKEN}") }),
    next: "Start `claude`, or run `/mcp` in an open session to reconnect.",
  },
  {
    id: "claude-desktop",
    title: "Claude Desktop",
    file: (machine) => join(settingsFolder(machine), "Claude", "claude_desktop_config.json"),
    format: "json",
    at: ["mcpServers"],
    entry: (command) => ({ ...command }),
    next: "Quit Claude Desktop and start it again.",
  },
  {
    id: "cursor",
    title: "Cursor",
    file: ({ homedir }) => join(homedir, ".cursor", "mcp.json"),
    format: "json",
    at: ["mcpServers"],
    entry: (command) => ({ ...command }),
    httpEntry: (url) => ({ url, ...bearer("${env:CLAWPORT_TOKEN}") }),
    next: "Cursor asks you to enable it in its settings, under MCP.",
  },
  {
    id: "vscode",
    title: "VS Code",
    file: (machine) => join(settingsFolder(machine), "Code", "User", "mcp.json"),
    format: "json",
    at: ["servers"],
    entry: (command) => ({ type: "stdio", ...command }),
    httpEntry: (url) => ({ type: "http", url, ...bearer("${input:clawport-token}") }),
    httpExtra: {
      inputs: [
        { type: "promptString", id: "clawport-token", description: "Token of the Clawport hub", password: true },
      ],
    },
    next: "Run “MCP: List Servers” in VS Code to start it.",
  },
  {
    id: "codex",
    title: "Codex",
    file: ({ env, homedir }) => join(env["CODEX_HOME"] || join(homedir, ".codex"), "config.toml"),
    format: "toml",
    at: ["mcp_servers"],
    // It keeps the first list of tools for the whole session, so that list waits for a slow hub.
    entry: ({ command, args }) => ({
      command,
      args: [...args, "--wait", "20"],
      startup_timeout_sec: 60,
      tool_timeout_sec: hourMs / 1000,
    }),
    httpEntry: (url) => ({ url, bearer_token_env_var: "CLAWPORT_TOKEN", tool_timeout_sec: hourMs / 1000 }),
    next: "Start a new `codex` session.",
  },
  {
    id: "gemini",
    title: "Gemini CLI",
    file: ({ homedir }) => join(homedir, ".gemini", "settings.json"),
    format: "json",
    at: ["mcpServers"],
    entry: (command) => ({ ...command, timeout: hourMs }),
    httpEntry: (url) => ({ httpUrl: url, ...bearer("${CLAWPORT_TOKEN}"), timeout: hourMs }),
    next: "Start a new `gemini` session.",
  },
  {
    id: "opencode",
    title: "opencode",
    file: ({ env, homedir }) => join(env["XDG_CONFIG_HOME"] || join(homedir, ".config"), "opencode", "opencode.json"),
    format: "json",
    at: ["mcp"],
    entry: ({ command, args }) => ({ type: "local", command: [command, ...args], enabled: true, timeout: hourMs }),
    httpEntry: (url) => ({ type: "remote", url, ...bearer("{env:CLAWPORT_TOKEN}"), enabled: true, timeout: hourMs }),
    next: "Start a new `opencode` session.",
  },
  {
    id: "openclaw",
    title: "OpenClaw",
    file: ({ env, homedir }) => openclawPaths(env, homedir).config,
    // Our own state folder is in OpenClaw's, so that one proves nothing.
    traces: ({ env, homedir }) =>
      ["agents", "credentials", "state", "workspace"].map((name) => join(openclawStateFolder(env, homedir), name)),
    format: "json",
    at: ["mcp", "servers"],
    entry: (command) => ({ ...command, requestTimeoutMs: hourMs }),
    httpEntry: (url) => ({
      // OpenClaw uses the old HTTP+SSE transport unless told otherwise.
      transport: "streamable-http",
      url,
      ...bearer("${CLAWPORT_TOKEN}"),
      requestTimeoutMs: hourMs,
    }),
    // An agent that could order itself might do so without end.
    without: "orders",
    next: "A running gateway uses it from the next conversation on.",
  },
  {
    id: "windsurf",
    title: "Windsurf",
    file: ({ homedir }) => join(homedir, ".codeium", "windsurf", "mcp_config.json"),
    format: "json",
    at: ["mcpServers"],
    entry: (command) => ({ ...command }),
    httpEntry: (url) => ({ serverUrl: url, ...bearer("${env:CLAWPORT_TOKEN}") }),
    next: "Refresh the list of MCP servers in Windsurf.",
  },
];

/** The key of our entry in every client's file. */
export const entryName = "clawport";

/** Where desktop programs keep their settings. */
function settingsFolder({ homedir, platform, env }: ClientMachine): string {
  if (platform === "darwin") return join(homedir, "Library", "Application Support");
  if (platform === "win32") return env["APPDATA"] || join(homedir, "AppData", "Roaming");
  return env["XDG_CONFIG_HOME"] || join(homedir, ".config");
}
