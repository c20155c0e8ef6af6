import { parse } from "smol-toml";
import { Fault } from "../../../core/fault.ts";
import { isRecord } from "../../../core/is-record.ts";
import { messageOf } from "../../../core/thrown.ts";
import { literal } from "./dialects.ts";
import type { Reading, Surroundings } from "./reading.ts";
import { convertServers } from "./read-servers.ts";

/** `config.toml` of Codex, with a table `[mcp_servers.<name>]` for each server. */
export function readCodex(text: string, around: Surroundings): Reading {
  const { mcp_servers: servers } = parseToml(text);
  if (!isRecord(servers)) return { taken: [], skipped: [] };
  const plain = Object.entries(servers).map(([name, entry]) => [name, nameVariables(entry)] as const);
  return convertServers(Object.fromEntries(plain), literal, around);
}

function parseToml(text: string): Record<string, unknown> {
  try {
    return parse(text);
  } catch (error) {
    const [reason = ""] = messageOf(error).split("\n");
    throw new Fault("corrupt", `It can't be read as TOML: ${reason}`, { cause: error });
  }
}

/** A variable to hand on is named by itself, or in a table with where it comes from. */
function nameVariables(entry: unknown): unknown {
  if (!isRecord(entry) || !Array.isArray(entry["env_vars"])) return entry;
  const names = entry["env_vars"].map((item: unknown) => (isRecord(item) ? item["name"] : item));
  return { ...entry, env_vars: names };
}
