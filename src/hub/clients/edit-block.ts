import { isDeepStrictEqual } from "node:util";
import { parse, stringify } from "smol-toml";
import { appendJson5, removeJson5 } from "../../core/config/json5/edit-json5.ts";
import { readJson5 } from "../../core/config/json5/read-json5.ts";
import { Fault, messageOf } from "../../core/fault.ts";
import { asRecord } from "../../core/is-record.ts";
import { entryName, type InstallableClient } from "../../sources/servers/import/client-table.ts";

type Format = Pick<InstallableClient, "format" | "at">;
type Entry = Readonly<Record<string, unknown>>;

/** Our entry in the text of a client's file; undefined if it has none. Faults if the text is not what it should be. */
export function findEntry(text: string, format: Format): unknown {
  return [...format.at, entryName].reduce<unknown>((part, key) => asRecord(part)[key], parseText(text, format));
}

/** The text with our entry in it, in place of an older one. Everything else stays as it is, comments included. */
export function putEntry(text: string, format: Format, entry: Entry): string {
  const rest = findEntry(text, format) === undefined ? text : cutEntry(text, format);
  if (format.format === "json") return appendJson5(rest, format.at, { [entryName]: entry }, { quoted: true });
  return appendToml(rest, format, entry);
}

/** The text without an entry: our own, unless another is named. */
export function cutEntry(text: string, format: Format, name: string = entryName): string {
  return format.format === "json" ? removeJson5(text, [...format.at, name]) : cutToml(text, format, name);
}

/** The entry as a person would paste it into an empty file. */
export function renderBlock(format: Format, entry: Entry, extra: Entry = {}): string {
  const value = format.at.reduceRight<unknown>((inner, key) => ({ [key]: inner }), { [entryName]: entry });
  return format.format === "json"
    ? JSON.stringify({ ...extra, ...asRecord(value) }, undefined, 2)
    : stringify(value).trimEnd();
}

function parseText(text: string, { format }: Format): unknown {
  if (text.trim() === "") return {};
  try {
    if (format === "toml") return parse(text);
    const { value, repeated } = readJson5(text);
    if (repeated.length === 0) return value;
    throw new Fault("config", `the key ${JSON.stringify(repeated[0]?.path.at(-1))} is in it twice`);
  } catch (error) {
    const [reason = ""] = messageOf(error).split("\n");
    throw new Fault("corrupt", `It is not valid ${format === "toml" ? "TOML" : "JSON"}: ${reason}`, { cause: error });
  }
}

/** A table at the end belongs to no other table, whatever comes before it. */
function appendToml(text: string, format: Format, entry: Entry): string {
  const newline = text.includes("\r\n") ? "\r\n" : "\n";
  const head = text === "" || text.endsWith("\n") ? text : text + newline;
  const gap = head === "" || /\n\r?\n$/.test(head) ? "" : newline;
  const added = head + gap + renderBlock(format, entry).replaceAll("\n", newline) + newline;
  const before = asRecord(parseText(text, format));
  const [key = ""] = format.at;
  return requireSame(added, format, { ...before, [key]: { ...asRecord(before[key]), [entryName]: entry } });
}

/** Cuts the table and those below it, with the blank lines before it, up to the last line that is part of it. */
function cutToml(text: string, format: Format, name: string): string {
  const before = asRecord(parseText(text, format));
  const [key = ""] = format.at;
  const { [name]: _, ...others } = asRecord(before[key]);
  const header = headerOf(key, name);
  const lines = text.split(/(?<=\n)/);
  const kept: string[] = [];
  let isOurs = false;
  /** Comments and blank lines that follow our table belong to what comes next, if anything does. */
  let pending: string[] = [];
  for (const line of lines) {
    if (/^\s*\[/.test(line)) isOurs = header.test(line);
    if (!isOurs) kept.push(...pending.splice(0), line);
    else if (/^\s*(?:#|$)/.test(line)) pending.push(line);
    else pending = [];
  }
  kept.push(...pending.filter((line) => line.trim() !== ""));
  while (kept.at(-1)?.trim() === "") kept.pop();
  const shorter = kept.join("");
  const { [key]: __, ...rest } = before;
  return requireSame(shorter, format, Object.keys(others).length === 0 ? rest : { ...rest, [key]: others });
}

function headerOf(key: string, name: string): RegExp {
  const quoted = (word: string): string => {
    const plain = word.replaceAll(/[^\w-]/g, String.raw`\$&`);
    return `(?:${plain}|"${plain}"|'${plain}')`;
  };
  return new RegExp(String.raw`^\s*\[\s*${quoted(key)}\s*\.\s*${quoted(name)}\s*[.\]]`);
}

/** The text is put together by hand, so check that it parses to what was meant. */
function requireSame(text: string, format: Format, meant: unknown): string {
  const parsed = parseOrUndefined(text, format);
  if (isDeepStrictEqual(withoutEmpty(parsed, format), withoutEmpty(meant, format))) return text;
  throw new Fault("config", "It can't be edited without changing something else.");
}

function parseOrUndefined(text: string, format: Format): unknown {
  try {
    return parseText(text, format);
  } catch {
    return undefined;
  }
}

/** A table of servers that is empty says the same as none. TOML's tables have no prototype, unlike ours. */
function withoutEmpty(value: unknown, { at }: Format): unknown {
  if (value === undefined) return undefined;
  const [key = ""] = at;
  const { [key]: servers, ...rest } = structuredClone(asRecord(value));
  return servers === undefined || Object.keys(asRecord(servers)).length === 0 ? rest : { ...rest, [key]: servers };
}
