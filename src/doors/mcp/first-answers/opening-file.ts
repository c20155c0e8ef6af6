import { constants } from "node:fs";
import { join } from "node:path";
import { configName } from "../../../core/config/find-config.ts";
import { stampFileNow } from "../../../core/files/file-stamp.ts";
import { readRegularFileNow } from "../../../core/files/read-regular-file.ts";
import type { Env } from "../../../core/process/child-env.ts";

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
  /** The configuration when this process started: the one it reads, or an older one. See `stampConfig`. */
  readonly config: string;
}

/** Changes whenever one of the files does that this process may take its configuration from. */
export function stampConfig({ cwd, home }: Pick<OpeningKey, "cwd" | "home">): string {
  return [join(cwd, configName), join(home, configName)].map(stampFileNow).join(", ");
}

/** One file for each way in which this process is started. */
export function openingFile({ version, options, cwd, home }: OpeningKey): string {
  return join(home, "openings", `${shortHash(JSON.stringify({ version, options, cwd, home }))}.txt`);
}

export const maxOpeningBytes = 4 * 1024 * 1024;
const lastLine = ".";
/** Different clients may be set up alike. */
const maxOpenings = 4;

/**
 * The openings that were kept for exactly this; none if the configuration, a variable that it refers to, what is stored of
 * the servers or what is pinned has changed since, or if the file can't be used.
 */
export async function readOpenings(key: OpeningKey, env: Env): Promise<readonly Opening[]> {
  try {
    const text = readRegularFileNow(openingFile(key), maxOpeningBytes, constants.O_NOFOLLOW ?? 0);
    const [kept, variables = "", ...openings] = text.split("\n\n");
    // What is sent as it is must be whole.
    if (openings.pop() !== lastLine || kept !== stampedKey(key)) return [];
    const { names } = JSON.parse(variables) as Variables;
    return variables === (await formatVariables(names, key, env)) ? openings.map(parseOpening) : [];
  } catch {
    return [];
  }
}

/** The text of the file with this opening in it, before those of other clients. */
export async function writeOpenings(
  key: OpeningKey,
  env: Env,
  names: readonly string[],
  latest: Opening,
): Promise<string> {
  const others = (await readOpenings(key, env)).filter(([first]) => first?.text !== latest[0]?.text);
  const all = [latest, ...others].slice(0, maxOpenings);
  return [stampedKey(key), await formatVariables(names, key, env), ...all.map(formatOpening), lastLine].join("\n\n");
}

/** The variables that the configuration refers to. Their values are another account, say, with other tools. */
interface Variables {
  readonly names: readonly string[];
  readonly digest?: string;
}

async function formatVariables(names: readonly string[], { home }: OpeningKey, env: Env): Promise<string> {
  if (names.length === 0) return JSON.stringify({ names } satisfies Variables);
  const { digestVariables } = await import("./digest-variables.ts");
  return JSON.stringify({ names, digest: digestVariables(names, env, home) } satisfies Variables);
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
  const { home } = key;
  const files = [
    // Writing a file in one of these folders replaces it, which changes the folder.
    join(home, "lists"),
    join(home, "guard", "pins"),
    join(home, "tokens.json"),
  ];
  return JSON.stringify([key, files.map(stampFileNow)]);
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
