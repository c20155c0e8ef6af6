import { statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import type { Env } from "../../../core/process/child-env.ts";
import { openclawPaths } from "../../../openclaw/openclaw-paths.ts";
import { anyClient, clients, type ImportClient } from "./clients.ts";
import type { ClientFileContext } from "./imported-server.ts";

/** A file of a client, and the context to read it in. */
export interface ClientFile extends ClientFileContext {
  readonly client: ImportClient;
  readonly path: string;
}

export interface HostEnvironment {
  readonly homedir: string;
  readonly cwd: string;
  readonly platform: string;
  readonly env: Env;
}

/** The files of all clients on this machine, those of the user before those of the working folder. */
export function findClientFiles(host: HostEnvironment): readonly ClientFile[] {
  const { cwd, homedir } = host;
  const toClientFile = (scope: "user" | "project") => (known: KnownPath) => {
    const client = clients.find(({ id }) => id === known[0]) ?? anyClient;
    return { client, path: resolve(cwd, ...known.slice(1)), scope, folder: cwd, homedir };
  };
  const all: readonly ClientFile[] = [
    ...userPaths(host).map(toClientFile("user")),
    ...projectPaths.map(toClientFile("project")),
  ];
  const isFirst = ({ path }: ClientFile, index: number): boolean =>
    all.findIndex((each) => each.path === path) === index;
  return all.filter(isFirst).filter(({ path }) => isFile(path));
}

/** A file that the user named: one of those above, or one whose client is known by its name. */
export function clientFileOf(path: string, host: HostEnvironment): ClientFile {
  const known = findClientFiles(host).find((file) => file.path === path);
  if (known !== undefined) return known;
  const client = clients.find(({ files }) => files.test(path)) ?? anyClient;
  const parent = dirname(path);
  const folder = /^(?:\..*|config)$/.test(basename(parent)) ? dirname(parent) : parent;
  return { client, path, scope: "project", folder, homedir: host.homedir };
}

/** The id of a client and the parts of a path. */
type KnownPath = readonly [string, ...string[]];

const projectPaths: readonly KnownPath[] = [
  ["claude-code", ".mcp.json"],
  ["cursor", ".cursor", "mcp.json"],
  ["vscode", ".vscode", "mcp.json"],
  ["vscode", ".vscode", "settings.json"],
  ["codex", ".codex", "config.toml"],
  ["gemini", ".gemini", "settings.json"],
  ["mcporter", "config", "mcporter.json"],
];

function userPaths(host: HostEnvironment): readonly KnownPath[] {
  const { homedir, env } = host;
  const settings = settingsFolder(host);
  const editors = ["Code", "Code - Insiders", "VSCodium"].map((name) => join(settings, name, "User"));
  return [
    ["claude-code", env["CLAUDE_CONFIG_DIR"] || homedir, ".claude.json"],
    ["claude-desktop", settings, "Claude", "claude_desktop_config.json"],
    ["cursor", homedir, ".cursor", "mcp.json"],
    ...editors.flatMap((folder): KnownPath[] => [
      ["vscode", folder, "mcp.json"],
      ["vscode", folder, "settings.json"],
    ]),
    ["codex", env["CODEX_HOME"] || join(homedir, ".codex"), "config.toml"],
    ["windsurf", homedir, ".codeium", "windsurf", "mcp_config.json"],
    ["windsurf", settings, "Codeium", "windsurf", "mcp_config.json"],
    ["windsurf", homedir, ".codeium", "mcp_config.json"],
    ["gemini", homedir, ".gemini", "settings.json"],
    ["openclaw", openclawPaths(env, homedir).config],
    ...mcporterFiles(host).map((path): KnownPath => ["mcporter", path]),
  ];
}

/** Where desktop programs keep their settings. */
function settingsFolder({ homedir, platform, env }: HostEnvironment): string {
  if (platform === "darwin") return join(homedir, "Library", "Application Support");
  if (platform === "win32") return env["APPDATA"] || join(homedir, "AppData", "Roaming");
  return env["XDG_CONFIG_HOME"] || join(homedir, ".config");
}

function mcporterFiles({ homedir, env }: HostEnvironment): readonly string[] {
  if (env["MCPORTER_CONFIG"]) return [env["MCPORTER_CONFIG"]];
  const folder = env["XDG_CONFIG_HOME"] ? join(env["XDG_CONFIG_HOME"], "mcporter") : join(homedir, ".mcporter");
  return [join(folder, "mcporter.json"), join(folder, "mcporter.jsonc")];
}

function isFile(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
  } catch {
    return false;
  }
}
