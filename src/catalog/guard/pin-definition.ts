import { hash } from "node:crypto";
import { visibleText } from "../../core/peer-text.ts";
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
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(sortedJson).join(",")}]`;
  const fields = value as Readonly<Record<string, unknown>>;
  const keys = Object.keys(fields)
    .filter((key) => fields[key] !== undefined)
    .sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${sortedJson(fields[key])}`).join(",")}}`;
}

const longestPinnedText = 8192;
const longestPinnedLine = 120;
const mostPinnedLines = 400;

/** The definition in lines, for display. Bounded, so it may be cut. */
export function textOfParts(parts: PinnedParts): string {
  return linesOf(parts).slice(0, mostPinnedLines).join("\n").slice(0, longestPinnedText);
}

function linesOf(parts: PinnedParts): string[] {
  return Object.entries(parts).flatMap(([key, value]) => {
    if (value === undefined) return [];
    if (typeof value === "string") return [`${key}:`, ...sentences(value).map((line) => `  ${line}`)];
    return [`${key}:`, ...JSON.stringify(value, sortKeys, 2).split("\n").flatMap(wrapped)];
  });
}

/** One sentence per line, so that a changed word shows as one changed line. */
function sentences(text: string): string[] {
  return text.split(/\n|(?<=[.!?]) +/).flatMap(wrapped);
}

function wrapped(line: string): string[] {
  const rows: string[] = [];
  let rest = line;
  while (rest.length > longestPinnedLine) {
    const space = rest.lastIndexOf(" ", longestPinnedLine);
    const end = space > longestPinnedLine / 2 ? space : longestPinnedLine;
    rows.push(rest.slice(0, end));
    rest = rest.slice(end).trimStart();
  }
  return [...rows, rest];
}

function sortKeys(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

const contextLines = 2;
const mostDiffLines = 80;
const longestDiffLine = 200;
/** Bounds the table of the comparison, which is this many lines squared. */
const mostCompared = 500;

type DiffRow = { readonly mark: " " | "-" | "+"; readonly text: string };

/** The difference as lines marked `-` and `+` with some context, safe to show on a terminal. */
export function pinDiff(before: string, after: string): string {
  const rows = compareLines(before.split("\n", mostCompared), after.split("\n", mostCompared));
  const changed = rows.map(({ mark }) => mark !== " ");
  if (!changed.includes(true))
    return "The saved lines are the same: the difference is in whitespace, or in what was cut off.";
  const shown = rows.map((_, at) =>
    changed.slice(Math.max(0, at - contextLines), at + contextLines + 1).includes(true),
  );
  const lines = rows.flatMap(({ mark, text }, at) => {
    if (!shown[at]) return at === 0 || shown[at - 1] ? ["  …"] : [];
    return [`${mark} ${visibleText(text, longestDiffLine)}`];
  });
  const rest = lines.length - mostDiffLines;
  return (rest > 0 ? [...lines.slice(0, mostDiffLines), `… and ${rest} more lines`] : lines).join("\n");
}

/** By the longest common subsequence. */
function compareLines(before: readonly string[], after: readonly string[]): DiffRow[] {
  const width = after.length + 1;
  const common = new Uint16Array((before.length + 1) * width);
  for (let i = before.length - 1; i >= 0; i--) {
    for (let j = after.length - 1; j >= 0; j--) {
      const skip = Math.max(common[(i + 1) * width + j]!, common[i * width + j + 1]!);
      common[i * width + j] = before[i] === after[j] ? common[(i + 1) * width + j + 1]! + 1 : skip;
    }
  }
  const rows: DiffRow[] = [];
  let i = 0;
  let j = 0;
  while (i < before.length || j < after.length) {
    if (i < before.length && j < after.length && before[i] === after[j]) {
      rows.push({ mark: " ", text: before[i]! });
      i++;
      j++;
    } else if (j >= after.length || (i < before.length && common[(i + 1) * width + j]! >= common[i * width + j + 1]!)) {
      rows.push({ mark: "-", text: before[i++]! });
    } else {
      rows.push({ mark: "+", text: after[j++]! });
    }
  }
  return rows;
}
