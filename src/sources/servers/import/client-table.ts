import { join } from "node:path";
import { openclawStateFolder } from "../../../core/files/resolve-home.ts";
import type { Env } from "../../../core/process/child-env.ts";
import { openclawPaths } from "../../../openclaw/openclaw-paths.ts";
import type { ClientFileContext, ImportReading } from "./imported-server.ts";

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

/** An MCP client: where its servers can be imported from, and how Clawport is entered into its own user file. */
export interface Client extends Partial<ClientInstall> {
  readonly id: string;
  readonly title: string;
  /** The user's file, never a project's. */
  file(machine: ClientMachine): string;
  /** What shows that the client is used here, if it has no file yet; the folder of its file unless given. */
  traces?(machine: ClientMachine): readonly string[];
  /**
   * It loads the definitions of tools when its model needs them, so it gets the whole list: its own search knows the
   * conversation. By the name that it gives itself in `clientInfo`, in lower case, and where that is documented.
   */
  readonly defersTools?: { readonly name: string; readonly source: string };
  readonly import?: ClientImport;
}

export interface ClientImport {
  /** Its files, by the end of their path. */
  readonly named: RegExp;
  /** Other files of the user that may have servers. */
  moreFiles?(machine: ClientMachine): readonly string[];
  /** Relative to a project. */
  readonly projectFiles?: readonly string[];
  read(text: string, context: ClientFileContext): Promise<ImportReading>;
}

/** How Clawport is entered into its file. */
export interface ClientInstall {
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

/** Loaded when a file is read: finding the files needs neither TOML nor the configuration schema. */
const readers = () => import("./readers.ts");

type DialectName = "literalDialect" | "editorDialect" | "openclawDialect" | "mcporterDialect";

function readWith(dialect: DialectName): ClientImport["read"] {
  return async (text, context) => {
    const [{ readJsonServers }, dialects] = await Promise.all([readers(), import("./dialects.ts")]);
    return readJsonServers(text, dialects[dialect], context);
  };
}

/** No client should give up before the hub does, whose limit progress extends. Each knows it by a name of its own. */
const hourMs = 3_600_000;
const bearer = (reference: string) => ({ headers: { Authorization: `Bearer ${reference}` } });

export const clientTable: readonly Client[] = [
  {
    id: "claude-code",
    title: "Claude Code",
    file: ({ env, homedir }) => join(env["CLAUDE_CONFIG_DIR"] || homedir, ".claude.json"),
    traces: ({ env, homedir }) => [env["CLAUDE_CONFIG_DIR"] || join(homedir, ".claude")],
    defersTools: { name: "claude-code", source: "https://code.claude.com/docs/en/mcp#scale-with-mcp-tool-search" },
    import: {
      named: /(?:^|[/\\])\.(?:claude|mcp)\.json$/,
      projectFiles: [".mcp.json"],
      read: async (text, context) => (await readers()).readClaudeCode(text, context),
    },
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
    import: {
      named: /claude_desktop_config\.json$/,
      read: readWith("literalDialect"),
    },
    format: "json",
    at: ["mcpServers"],
    entry: (command) => ({ ...command }),
    next: "Quit Claude Desktop and start it again.",
  },
  {
    id: "cursor",
    title: "Cursor",
    file: ({ homedir }) => join(homedir, ".cursor", "mcp.json"),
    import: {
      named: /\.cursor[/\\]mcp\.json$/,
      projectFiles: [".cursor/mcp.json"],
      read: readWith("editorDialect"),
    },
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
    import: {
      named: /(?:\.vscode|User)[/\\](?:mcp|settings)\.json$/,
      moreFiles: (machine) =>
        ["Code", "Code - Insiders", "VSCodium"].flatMap((name) =>
          ["mcp.json", "settings.json"].map((file) => join(settingsFolder(machine), name, "User", file)),
        ),
      projectFiles: [".vscode/mcp.json", ".vscode/settings.json"],
      read: readWith("editorDialect"),
    },
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
    defersTools: { name: "codex-mcp-client", source: "https://github.com/openai/codex/pull/31745" },
    import: {
      named: /\.toml$/,
      projectFiles: [".codex/config.toml"],
      read: async (text, context) => (await readers()).readCodex(text, context),
    },
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
    id: "windsurf",
    title: "Windsurf",
    file: ({ homedir }) => join(homedir, ".codeium", "windsurf", "mcp_config.json"),
    import: {
      named: /mcp_config\.json$/,
      moreFiles: (machine) => [
        join(settingsFolder(machine), "Codeium", "windsurf", "mcp_config.json"),
        join(machine.homedir, ".codeium", "mcp_config.json"),
      ],
      read: readWith("editorDialect"),
    },
    format: "json",
    at: ["mcpServers"],
    entry: (command) => ({ ...command }),
    httpEntry: (url) => ({ serverUrl: url, ...bearer("${env:CLAWPORT_TOKEN}") }),
    next: "Refresh the list of MCP servers in Windsurf.",
  },
  {
    id: "gemini",
    title: "Gemini CLI",
    file: ({ homedir }) => join(homedir, ".gemini", "settings.json"),
    import: {
      named: /\.gemini[/\\]settings\.json$/,
      projectFiles: [".gemini/settings.json"],
      read: async (text, context) => (await readers()).readGemini(text, context),
    },
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
    defersTools: { name: "openclaw-bundle-mcp", source: "https://docs.openclaw.ai/tools/tool-search" },
    import: {
      named: /openclaw\.json5?$/,
      read: readWith("openclawDialect"),
    },
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
    id: "mcporter",
    title: "mcporter",
    file: (machine) => mcporterFiles(machine)[0]!,
    import: {
      named: /mcporter\.jsonc?$/,
      moreFiles: mcporterFiles,
      projectFiles: ["config/mcporter.json"],
      read: readWith("mcporterDialect"),
    },
  },
];

/** A client that Clawport can enter itself into. */
export type InstallableClient = Client & ClientInstall;

export const installableClients = clientTable.filter((client): client is InstallableClient => "entry" in client);

/** A program whose servers can be imported. */
export interface ImportableClient extends Pick<Client, "id" | "title"> {
  readonly import: ClientImport;
}

export const importableClients = clientTable.filter(
  (client): client is Client & ImportableClient => client.import !== undefined,
);

/** For a file that belongs to none of them: understands the references of all of them. */
export const anyClient: ImportableClient = {
  id: "file",
  title: "a file",
  import: { named: /$/, read: readWith("editorDialect") },
};

/** The key of our entry in every client's file. */
export const entryName = "clawport";

/** Where desktop programs keep their settings. */
function settingsFolder({ homedir, platform, env }: ClientMachine): string {
  if (platform === "darwin") return join(homedir, "Library", "Application Support");
  if (platform === "win32") return env["APPDATA"] || join(homedir, "AppData", "Roaming");
  return env["XDG_CONFIG_HOME"] || join(homedir, ".config");
}

function mcporterFiles({ homedir, env }: ClientMachine): readonly string[] {
  if (env["MCPORTER_CONFIG"]) return [env["MCPORTER_CONFIG"]];
  const folder = env["XDG_CONFIG_HOME"] ? join(env["XDG_CONFIG_HOME"], "mcporter") : join(homedir, ".mcporter");
  return [join(folder, "mcporter.json"), join(folder, "mcporter.jsonc")];
}
