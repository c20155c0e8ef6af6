import { parse } from "smol-toml";
import { readJson5 } from "../../../core/config/json5/read-json5.ts";
import { Fault, messageOf } from "../../../core/fault.ts";
import { asRecord, isRecord } from "../../../core/is-record.ts";
import { convertServer, takeServer } from "./convert-server.ts";
import { bracedDialect, type Dialect, literalDialect, shellDialect } from "./dialects.ts";
import type { ClientFileContext, ImportedEntry, ImportReading } from "./imported-server.ts";

/** `~/.claude.json` with a block for each project, or the `.mcp.json` of one project. */
export function readClaudeCode(text: string, context: ClientFileContext): ImportReading {
  const file = parseJsonFile(text);
  if (!isRecord(file)) return { taken: [], skipped: [] };
  const projects = isRecord(file["projects"]) ? Object.entries(file["projects"]) : [];
  const readings = [
    convertServers(file["mcpServers"], bracedDialect, context),
    ...projects.map(([folder, project]) => readProject(folder, project, context)),
  ];
  return { taken: readings.flatMap(({ taken }) => taken), skipped: readings.flatMap(({ skipped }) => skipped) };
}

function readProject(folder: string, project: unknown, context: ClientFileContext): ImportReading {
  if (!isRecord(project)) return { taken: [], skipped: [] };
  const reading = convertServers(project["mcpServers"], bracedDialect, { ...context, folder, scope: "project" });
  const off: unknown = project["disabledMcpServers"];
  const { taken, skipped } = disableServers(reading, (name) => Array.isArray(off) && off.includes(name));
  return { taken: taken.map((each) => ({ ...each, project: folder })), skipped };
}

/** `settings.json` of Gemini CLI, where lists beside the servers say which of them are used. */
export function readGemini(text: string, context: ClientFileContext): ImportReading {
  const file = parseJsonFile(text);
  if (!isRecord(file)) return { taken: [], skipped: [] };
  const lists = isRecord(file["mcp"]) ? file["mcp"] : {};
  const [allowed, excluded] = [lists["allowed"], lists["excluded"]];
  return disableServers(convertServers(file["mcpServers"], shellDialect, context), (name) => {
    const isAllowed = !Array.isArray(allowed) || allowed.length === 0 || allowed.includes(name);
    return !isAllowed || (Array.isArray(excluded) && excluded.includes(name));
  });
}

/** `config.toml` of Codex, with a table `[mcp_servers.<name>]` for each server. */
export function readCodex(text: string, context: ClientFileContext): ImportReading {
  const { mcp_servers: servers } = parseToml(text);
  if (!isRecord(servers)) return { taken: [], skipped: [] };
  const plain = Object.entries(servers).map(([name, entry]) => [name, flattenEnvVars(entry)] as const);
  return convertServers(Object.fromEntries(plain), literalDialect, context);
}

function parseToml(text: string): Record<string, unknown> {
  try {
    return parse(text);
  } catch (error) {
    const [reason = ""] = messageOf(error).split("\n");
    throw new Fault("corrupt", `Not valid TOML: ${reason}`, { cause: error });
  }
}

/** A variable to pass on is a name, or a table with the name and its origin. */
function flattenEnvVars(entry: unknown): unknown {
  if (!isRecord(entry) || !Array.isArray(entry["env_vars"])) return entry;
  const names = entry["env_vars"].map((item: unknown) => (isRecord(item) ? item["name"] : item));
  return { ...entry, env_vars: names };
}

/** Reads the files of clients that keep their servers in one object, anywhere in the file. */
export function readJsonServers(text: string, dialect: Dialect, context: ClientFileContext): ImportReading {
  const file = parseJsonFile(text);
  const [own, plugin] = [convertServers(withoutOurs(findServers(file)), dialect, context), readPlugin(file)];
  return { taken: [...own.taken, ...plugin.taken], skipped: [...own.skipped, ...plugin.skipped] };
}

/** Without the entries that our plugin keeps in OpenClaw's `mcp.servers`: they lead back to it. */
function withoutOurs(servers: unknown): unknown {
  if (!isRecord(servers)) return servers;
  return Object.fromEntries(Object.entries(servers).filter(([, entry]) => !isPluginEntry(entry)));
}

function isPluginEntry(entry: unknown): boolean {
  const { url, codex } = asRecord(entry);
  const { agents } = asRecord(codex);
  const isLoopback = typeof url === "string" && /^http:\/\/127\.0\.0\.1:\d+\/mcp\/[^/]+$/.test(url);
  return isLoopback && Array.isArray(agents) && agents[0] === "not-for-codex";
}

/** The servers of OpenClaw's plugin `mcp-client`, which are written as in our own configuration. */
function readPlugin(file: unknown): ImportReading {
  const { enabled, config } = pluginEntryOf(file);
  const results = Object.entries(asRecord(asRecord(config)["servers"])).map(([name, entry]) => takeServer(name, entry));
  const reading = {
    taken: results.filter((result) => "server" in result),
    skipped: results.filter((result) => "reason" in result),
  };
  return disableServers(reading, () => enabled === false);
}

/** The entry of the plugin `mcp-client` in an `openclaw.json`; empty if it has none. */
export function pluginEntryOf(file: unknown): Readonly<Record<string, unknown>> {
  const { entries } = asRecord(asRecord(file)["plugins"]);
  return asRecord(asRecord(entries)["mcp-client"]);
}

/** JSON5, with comments. The files can be large, so the faster JSON parser goes first. */
export function parseJsonFile(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // The JSON5 parser reports what is wrong, if anything is.
  }
  try {
    return text.trim() === "" ? {} : readJson5(text).value;
  } catch (error) {
    throw new Fault("corrupt", `Not valid JSON: ${messageOf(error)}`, { cause: error });
  }
}

/** `mcpServers` of most clients, `servers` and `mcp.servers` of VS Code, `mcp.servers` of OpenClaw. */
function findServers(value: unknown): unknown {
  if (!isRecord(value)) return undefined;
  const mcp = value["mcp"];
  return (
    value["mcpServers"] ?? value["servers"] ?? (isRecord(mcp) ? mcp["servers"] : undefined) ?? value["mcp.servers"]
  );
}

export function convertServers(servers: unknown, dialect: Dialect, context: ClientFileContext): ImportReading {
  if (!isRecord(servers)) return { taken: [], skipped: [] };
  const results = Object.entries(servers).map(([name, entry]) => convertServer(name, entry, dialect, context));
  return {
    taken: results.filter((result) => "server" in result),
    skipped: results.filter((result) => "reason" in result),
  };
}

/** Disables the servers that the client itself does not use. */
export function disableServers(reading: ImportReading, isOff: (name: string) => boolean): ImportReading {
  const change = (each: ImportedEntry): ImportedEntry => {
    const { enabled: _, ...server } = each.server;
    return isOff(each.name) ? { ...each, server: { enabled: false, ...server } } : each;
  };
  return { ...reading, taken: reading.taken.map(change) };
}
