import { Fault } from "../../../core/fault.ts";
import { readJson5 } from "../../../core/config/read-json5.ts";
import { isRecord } from "../../../core/is-record.ts";
import { messageOf } from "../../../core/thrown.ts";
import { convertServer } from "./convert-server.ts";
import type { Dialect } from "./dialects.ts";
import type { Reading, Surroundings, Taken } from "./reading.ts";

/** Reads the files of those clients that keep their servers in one object, wherever in the file that is. */
export function readServers(text: string, dialect: Dialect, around: Surroundings): Reading {
  return convertServers(findServers(parseJson(text)), dialect, around);
}

/** JSON with comments and the rest of JSON5. The files can be large, so the fast reader has the first try. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // What is wrong, if anything, is told by the reader that knows more.
  }
  try {
    return text.trim() === "" ? {} : readJson5(text).value;
  } catch (error) {
    throw new Fault("corrupt", `It can't be read as JSON: ${messageOf(error)}`, { cause: error });
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

export function convertServers(servers: unknown, dialect: Dialect, around: Surroundings): Reading {
  if (!isRecord(servers)) return { taken: [], skipped: [] };
  const results = Object.entries(servers).map(([name, entry]) => convertServer(name, entry, dialect, around));
  return {
    taken: results.filter((result) => "server" in result),
    skipped: results.filter((result) => "reason" in result),
  };
}

/** The reading with those servers switched off that the client itself does not use. */
export function switchOff(reading: Reading, isOff: (name: string) => boolean): Reading {
  const change = (each: Taken): Taken => {
    return isOff(each.name) ? { ...each, server: { enabled: false, ...each.server } } : each;
  };
  return { ...reading, taken: reading.taken.map(change) };
}
