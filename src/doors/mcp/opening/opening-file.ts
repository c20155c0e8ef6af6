import { constants, statSync } from "node:fs";
import { join } from "node:path";
import { configName } from "../../../core/config/find-config.ts";
import { readRegularFileNow } from "../../../core/files/read-regular-file.ts";

/**
 * How a client begins its conversation, and what it was answered: `initialize` and the lists. A client begins the same way
 * each time it starts this process, so its first answers are known before anything else is loaded.
 */
export type Opening = readonly OpeningMessage[];

export interface OpeningMessage {
  /** Method and parameters, as JSON. */
  readonly text: string;
  /** The result, as JSON; undefined for a notification. */
  readonly answer: string | undefined;
}

/** Everything that the first answers depend on, beside what the client sends. */
export interface OpeningKey {
  readonly version: string;
  /** Options of the command line. */
  readonly options: object;
  readonly cwd: string;
  /** The state folder. */
  readonly home: string;
}

/** One file for each way in which this process is started. */
export function openingFile(key: OpeningKey): string {
  return join(key.home, "openings", `${shortHash(JSON.stringify(key))}.txt`);
}

export const maxOpeningBytes = 4 * 1024 * 1024;
const lastLine = ".";
/** Different clients may be set up alike. */
const mostOpenings = 4;

/**
 * The openings that were kept for exactly this; none if the configuration, what is stored of the servers or what is pinned
 * has changed since, or if the file can't be used.
 */
export function readOpenings(key: OpeningKey): readonly Opening[] {
  try {
    const text = readRegularFileNow(openingFile(key), maxOpeningBytes, constants.O_NOFOLLOW ?? 0);
    const [kept, ...openings] = text.split("\n\n");
    // What is sent as it is must be whole.
    return kept === stampedKey(key) && openings.pop() === lastLine ? openings.map(parseOpening) : [];
  } catch {
    return [];
  }
}

/** The text of the file with this opening in it, before those of other clients. */
export function writeOpenings(key: OpeningKey, latest: Opening): string {
  const others = readOpenings(key).filter(([first]) => first?.text !== latest[0]?.text);
  const all = [latest, ...others].slice(0, mostOpenings);
  return [stampedKey(key), ...all.map(formatOpening), lastLine].join("\n\n");
}

/** A line for each message and for each answer: answers are sent as they are. JSON has no line breaks of its own here. */
function formatOpening(opening: Opening): string {
  return opening
    .flatMap(({ text, answer }) => (answer === undefined ? [`>${text}`] : [`>${text}`, `<${answer}`]))
    .join("\n");
}

function parseOpening(text: string): Opening {
  const opening: OpeningMessage[] = [];
  const lines = text.split("\n");
  for (const [at, line] of lines.entries()) {
    if (!line.startsWith(">")) continue;
    const next = lines[at + 1];
    opening.push({ text: line.slice(1), answer: next?.startsWith("<") ? next.slice(1) : undefined });
  }
  return opening;
}

function stampedKey(key: OpeningKey): string {
  const { cwd, home } = key;
  const files = [
    join(cwd, configName),
    join(home, configName),
    // Writing a file in one of these folders replaces it, which changes the folder.
    join(home, "lists"),
    join(home, "guard", "pins"),
    join(home, "tokens.json"),
  ];
  return JSON.stringify([key, files.map(stampOf)]);
}

/** Changes whenever the file does. */
function stampOf(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat === undefined ? "" : `${stat.ino} ${stat.mtimeMs} ${stat.ctimeMs} ${stat.size}`;
}

/** FNV-1a, twice: it only names a file, and loading a library for it would take longer than all of this. */
function shortHash(text: string): string {
  return [0x811c9dc5, 0x01000193].map((seed) => fnv(text, seed).toString(16).padStart(8, "0")).join("");
}

function fnv(text: string, seed: number): number {
  let hash = seed;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
