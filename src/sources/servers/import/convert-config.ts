import { dirname } from "node:path";
import type { Env } from "../../../core/process/child-env.ts";
import { asRecord, isRecord } from "../../../core/is-record.ts";
import type { ImportedEntry, SkippedEntry } from "./imported-server.ts";

/** The configuration of another program as one of ours. */
export interface ConvertedConfig {
  readonly value: Readonly<Record<string, unknown>>;
  readonly taken: readonly ImportedEntry[];
  readonly skipped: readonly SkippedEntry[];
}

/**
 * Whether the text is worth a closer look: none of these names is a setting of ours. Our own files, read at every start,
 * are not parsed twice.
 */
const foreignNames = /\bmcpServers\b|\bplugins\b|\bmcp["']?\s*:/;

/** Whether it is the configuration of another program: `mcpServers`, or OpenClaw's `mcp.servers` or plugin `mcp-client`. */
export async function isForeignConfig(text: string): Promise<boolean> {
  if (!foreignNames.test(text)) return false;
  const { parseJsonFile, pluginEntryOf } = await import("./readers.ts");
  let file: Readonly<Record<string, unknown>>;
  try {
    file = asRecord(parseJsonFile(text));
  } catch {
    // The loader of our own configuration reports where it is broken.
    return false;
  }
  return (
    isRecord(file["mcpServers"]) ||
    isRecord(asRecord(file["mcp"])["servers"]) ||
    isRecord(asRecord(pluginEntryOf(file)["config"])["servers"])
  );
}

/** Converts a text that is a foreign configuration. References to the environment stay references. */
export async function convertConfig(path: string, text: string, env: Env): Promise<ConvertedConfig> {
  const { parseJsonFile, pluginEntryOf } = await import("./readers.ts");
  const { clientFileOf } = await import("./find-client-files.ts");
  const { chooseServers } = await import("./plan-import.ts");
  const homedir = env["HOME"] ?? env["USERPROFILE"] ?? "";
  const file = clientFileOf(path, { homedir, cwd: dirname(path), platform: process.platform, env });
  const reading = await file.client.import.read(text, file);
  const { servers: _, ...settings } = asRecord(pluginEntryOf(parseJsonFile(text))["config"]);
  const { port = 8765 } = asRecord(settings["hub"]);
  const [chosen = reading] = chooseServers([{ client: file.client.id, reading }], {
    servers: {},
    hubPort: Number(port),
  });
  const servers = Object.fromEntries(chosen.taken.map(({ name, server }) => [name, server]));
  return { value: { ...settings, servers }, taken: chosen.taken, skipped: chosen.skipped };
}
