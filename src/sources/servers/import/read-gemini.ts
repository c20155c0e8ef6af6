import { isRecord } from "../../../core/is-record.ts";
import { shell } from "./dialects.ts";
import type { Reading, Surroundings } from "./reading.ts";
import { convertServers, parseJson, switchOff } from "./read-servers.ts";

/** `settings.json` of Gemini CLI, where lists beside the servers say which of them are used. */
export function readGemini(text: string, around: Surroundings): Reading {
  const file = parseJson(text);
  if (!isRecord(file)) return { taken: [], skipped: [] };
  const lists = isRecord(file["mcp"]) ? file["mcp"] : {};
  const [allowed, excluded] = [lists["allowed"], lists["excluded"]];
  return switchOff(convertServers(file["mcpServers"], shell, around), (name) => {
    const isAllowed = !Array.isArray(allowed) || allowed.length === 0 || allowed.includes(name);
    return !isAllowed || (Array.isArray(excluded) && excluded.includes(name));
  });
}
