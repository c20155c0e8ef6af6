import { hash } from "node:crypto";
import type { Tool } from "../../mcp/tool.ts";

export interface PinnedDefinition {
  readonly hash: string;
  /** The definition in lines, for people: bounded, so it may be cut. */
  readonly text: string;
}

const longestText = 8192;
const longestLine = 120;
const mostLines = 400;

/**
 * Everything that tells a model or the guard what the tool is: names, descriptions, schemas, hints. The order of keys
 * does not count, since servers list them as they please.
 */
export function pinDefinition(tool: Tool): PinnedDefinition {
  const { name, title, description, annotations, inputSchema, outputSchema } = tool;
  const parts = { name, title, description, annotations, inputSchema, outputSchema };
  return { hash: hash("sha256", JSON.stringify(parts, sortKeys)), text: textOf(parts) };
}

function textOf(parts: Readonly<Record<string, unknown>>): string {
  return linesOf(parts).slice(0, mostLines).join("\n").slice(0, longestText);
}

function linesOf(parts: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(parts).flatMap(([key, value]) => {
    if (value === undefined) return [];
    if (typeof value === "string") return [`${key}:`, ...sentences(value).map((line) => `  ${line}`)];
    return [`${key}:`, ...JSON.stringify(value, sortKeys, 2).split("\n").flatMap(wrapped)];
  });
}

/** One sentence a line: a changed word then shows as one changed line, not as a whole changed page. */
function sentences(text: string): string[] {
  return text.split(/\n|(?<=[.!?]) +/).flatMap(wrapped);
}

function wrapped(line: string): string[] {
  const rows: string[] = [];
  let rest = line;
  while (rest.length > longestLine) {
    const space = rest.lastIndexOf(" ", longestLine);
    const end = space > longestLine / 2 ? space : longestLine;
    rows.push(rest.slice(0, end));
    rest = rest.slice(end).trimStart();
  }
  return [...rows, rest];
}

function sortKeys(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
