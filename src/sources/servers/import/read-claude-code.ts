import { isRecord } from "../../../core/is-record.ts";
import { braced } from "./dialects.ts";
import type { Reading, Surroundings } from "./reading.ts";
import { convertServers, parseJson, switchOff } from "./read-servers.ts";

/** `~/.claude.json` with a block for each project, or the `.mcp.json` of one project. */
export function readClaudeCode(text: string, around: Surroundings): Reading {
  const file = parseJson(text);
  if (!isRecord(file)) return { taken: [], skipped: [] };
  const projects = isRecord(file["projects"]) ? Object.entries(file["projects"]) : [];
  const readings = [
    convertServers(file["mcpServers"], braced, around),
    ...projects.map(([folder, project]) => readProject(folder, project, around)),
  ];
  return { taken: readings.flatMap(({ taken }) => taken), skipped: readings.flatMap(({ skipped }) => skipped) };
}

function readProject(folder: string, project: unknown, around: Surroundings): Reading {
  if (!isRecord(project)) return { taken: [], skipped: [] };
  const reading = convertServers(project["mcpServers"], braced, { ...around, folder, scope: "project" });
  const off: unknown = project["disabledMcpServers"];
  const { taken, skipped } = switchOff(reading, (name) => Array.isArray(off) && off.includes(name));
  return { taken: taken.map((each) => ({ ...each, project: folder })), skipped };
}
