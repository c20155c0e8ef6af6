import { statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { openclawPaths } from "../../../core/config/openclaw-paths.ts";
import { anyClient, clients, type Client } from "./clients.ts";
import type { Surroundings } from "./reading.ts";

/** A file of a client, and what its texts leave open. */
export interface ImportSource extends Surroundings {
  readonly client: Client;
  readonly path: string;
}

export interface Machine {
  readonly homedir: string;
  readonly cwd: string;
  readonly platform: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The files of all clients that exist on this machine, those of the person before those of the working folder. */
export function findSources(machine: Machine): readonly ImportSource[] {
  const { cwd, homedir } = machine;
  const source = (scope: "user" | "project") => (place: Place) => {
    const client = clients.find(({ id }) => id === place[0]) ?? anyClient;
    return { client, path: resolve(cwd, ...place.slice(1)), scope, folder: cwd, homedir };
  };
  const all: readonly ImportSource[] = [
    ...userPlaces(machine).map(source("user")),
    ...projectPlaces.map(source("project")),
  ];
  const isFirst = ({ path }: ImportSource, index: number): boolean =>
    all.findIndex((each) => each.path === path) === index;
  return all.filter(isFirst).filter(({ path }) => isFile(path));
}

/** A file that was named: one of those above, or one that is told by its name and belongs to the folder it lies in. */
export function sourceOf(path: string, machine: Machine): ImportSource {
  const known = findSources(machine).find((source) => source.path === path);
  if (known !== undefined) return known;
  const client = clients.find(({ files }) => files.test(path)) ?? anyClient;
  const parent = dirname(path);
  const folder = /^(?:\..*|config)$/.test(basename(parent)) ? dirname(parent) : parent;
  return { client, path, scope: "project", folder, homedir: machine.homedir };
}

/** The id of a client and the parts of a path. */
type Place = readonly [string, ...string[]];

const projectPlaces: readonly Place[] = [
  ["claude-code", ".mcp.json"],
  ["cursor", ".cursor", "mcp.json"],
  ["vscode", ".vscode", "mcp.json"],
  ["vscode", ".vscode", "settings.json"],
  ["codex", ".codex", "config.toml"],
  ["gemini", ".gemini", "settings.json"],
  ["mcporter", "config", "mcporter.json"],
];

function userPlaces(machine: Machine): readonly Place[] {
  const { homedir, env } = machine;
  const settings = settingsFolder(machine);
  const editors = ["Code", "Code - Insiders", "VSCodium"].map((name) => join(settings, name, "User"));
  return [
    ["claude-code", env["CLAUDE_CONFIG_DIR"] || homedir, ".claude.json"],
    ["claude-desktop", settings, "Claude", "claude_desktop_config.json"],
    ["cursor", homedir, ".cursor", "mcp.json"],
    ...editors.flatMap((folder): Place[] => [
      ["vscode", folder, "mcp.json"],
      ["vscode", folder, "settings.json"],
    ]),
    ["codex", env["CODEX_HOME"] || join(homedir, ".codex"), "config.toml"],
    ["windsurf", homedir, ".codeium", "windsurf", "mcp_config.json"],
    ["windsurf", settings, "Codeium", "windsurf", "mcp_config.json"],
    ["windsurf", homedir, ".codeium", "mcp_config.json"],
    ["gemini", homedir, ".gemini", "settings.json"],
    ["openclaw", openclawPaths(env, homedir).config],
    ...mcporterFiles(machine).map((path): Place => ["mcporter", path]),
  ];
}

/** Where programs with windows keep their settings. */
function settingsFolder({ homedir, platform, env }: Machine): string {
  if (platform === "darwin") return join(homedir, "Library", "Application Support");
  if (platform === "win32") return env["APPDATA"] || join(homedir, "AppData", "Roaming");
  return env["XDG_CONFIG_HOME"] || join(homedir, ".config");
}

function mcporterFiles({ homedir, env }: Machine): readonly string[] {
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
