import { hash } from "node:crypto";
import { isRecord } from "../../core/is-record.ts";
import { shownLines, shownText } from "../../core/text/shown-text.ts";
import { sortKeys } from "../../core/sort-keys.ts";
import type { Prompt } from "../../mcp/messages/resources-and-prompts.ts";
import type { Tool } from "../../mcp/messages/tool.ts";

/** What can be pinned: the tools and prompts that a server lists, and its instructions. */
export type PinKind = "tool" | "prompt" | "instructions";

/** The parts of a definition that tell a model or the guard what it is. */
export type PinnedParts = Readonly<Record<string, unknown>>;

/** Names, descriptions, schemas, hints; not icons and `_meta`, which some servers change all the time. */
export function toolParts({ name, title, description, annotations, inputSchema, outputSchema }: Tool): PinnedParts {
  return { name, title, description, annotations, inputSchema, outputSchema };
}

export function promptParts({ name, title, description, arguments: taken }: Prompt): PinnedParts {
  return { name, title, description, arguments: taken };
}

export function instructionsParts(instructions: string): PinnedParts {
  return { instructions };
}

/** The order of keys does not count: a server may list them in any order. */
export function hashParts(parts: PinnedParts): string {
  return hash("sha256", sortedJson(parts));
}

/** As `JSON.stringify` with `sortKeys`, for JSON values. A list of ten thousand tools is hashed in a third of the time. */
function sortedJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(sortedJson).join(",")}]`;
  if (!isRecord(value)) return JSON.stringify(value);
  const keys = Object.keys(value)
    .filter((key) => value[key] !== undefined)
    .sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${sortedJson(value[key])}`).join(",")}}`;
}

/** The whole definition in lines, for people. What does not print is escaped, and no text in it can imitate a line. */
export function textOfParts(parts: PinnedParts): string {
  return linesOf(parts).join("\n");
}

function linesOf(parts: PinnedParts): string[] {
  return Object.entries(parts).flatMap(([key, value]) => {
    if (value === undefined) return [];
    const lines = typeof value === "string" ? sentences(value) : jsonLines(value);
    return [`${key}:`, ...lines.map((line) => `  ${line}`)];
  });
}

/** One sentence per line, so that a change is seen in its place. A line break in the text stands at the end of a line. */
function sentences(text: string): string[] {
  return text.split(/(?<=\n)|(?<=[.!?] )(?=[^ ])/).map(shownText);
}

const jsonLines = (value: unknown): string[] => shownLines(JSON.stringify(value, sortKeys, 2)).split("\n");
