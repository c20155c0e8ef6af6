import { isDeepStrictEqual } from "node:util";
import { Fault } from "../../fault.ts";
import { asRecord, isRecord } from "../../is-record.ts";
import { type ConfigPath, formatPath, pathKey } from "../config-path.ts";
import { type EntryOffsets, type Json5Document, readJson5 } from "./read-json5.ts";

export interface AppendOptions {
  /** Writes plain JSON where the text itself does not show how it is written: for files that others read. */
  readonly quoted?: boolean;
}

/**
 * Adds entries at the end of an object inside a JSON5 text, and makes missing objects on the way. Everything a person
 * wrote stays as it is, comments and spaces included. A key that already exists is a fault.
 */
export function appendJson5(
  text: string,
  path: ConfigPath,
  entries: Readonly<Record<string, unknown>>,
  options: AppendOptions = {},
): string {
  const document = readJson5(text.trim() === "" ? "{}" : text);
  const added = appendAt(text.trim() === "" ? "{}\n" : text, document, path, entries, options);
  // The text is put together by hand, so check that it parses to the old content plus the new entries.
  if (isDeepStrictEqual(readJson5(added).value, mergeEntries(document.value, path, entries))) return added;
  throw new Fault("internal", "The configuration could not be extended without changing it. Nothing was written.");
}

function appendAt(
  text: string,
  document: Json5Document,
  path: ConfigPath,
  entries: Readonly<Record<string, unknown>>,
  options: AppendOptions,
): string {
  const object = valueAt(document.value, path);
  const place = document.places.get(pathKey(path));
  const key = path.at(-1);
  if (place === undefined && key !== undefined)
    return appendAt(text, document, path.slice(0, -1), { [key]: entries }, options);
  if (place === undefined || !isRecord(object)) {
    throw new Fault(
      "config",
      `${formatPath(path) || "The configuration"} is not an object, so nothing can be added to it.`,
    );
  }
  const taken = Object.keys(entries).find((name) => Object.hasOwn(object, name));
  if (taken !== undefined) throw new Fault("conflict", `${formatPath([...path, taken])} already exists.`);
  const children = Object.keys(object).flatMap((name) => document.places.get(pathKey([...path, name])) ?? []);
  const last = children.reduce<EntryOffsets | undefined>(
    (a, b) => (a === undefined || b.end > a.end ? b : a),
    undefined,
  );
  const isEmptyRoot = last === undefined && place.key === 0;
  const quoted = hasQuotedKeys(text, document, last?.key ?? place.key) || (options.quoted === true && isEmptyRoot);
  return insertEntries(text, place, last, entries, quoted);
}

/** As the key at this offset shows; one that needs its quotes shows nothing, so all others decide. */
function hasQuotedKeys(text: string, { places }: Json5Document, key: number): boolean {
  if (text[key] !== '"') return false;
  if (/^"[A-Za-z_$][\w$]*"/.test(text.slice(key, key + 200))) return true;
  return ![...places.values()].some((place) => /^[A-Za-z_$][\w$]*\s*:/.test(text.slice(place.key, place.key + 200)));
}

function insertEntries(
  text: string,
  object: EntryOffsets,
  last: EntryOffsets | undefined,
  entries: Readonly<Record<string, unknown>>,
  quoted: boolean,
): string {
  const newline = text.includes("\r\n") ? "\r\n" : "\n";
  const outer = indentOf(text, object.value);
  const own = last === undefined ? "" : indentOf(text, last.key);
  const inner = own.length > outer.length ? own : outer + (outer.includes("\t") ? "\t" : "  ");
  const step = inner.slice(outer.length);
  const items = Object.entries(entries).map(([key, value]) => inner + render(key, value, quoted, step, inner));

  const from = last?.end ?? object.value + 1;
  const comma = last === undefined ? 0 : commaAfter(text, from);
  const head = comma > 0 || last === undefined ? text.slice(0, from + comma) : `${text.slice(0, from)},`;
  const remark = sameLineComment(text.slice(from + comma, object.end - 1));
  const rest = text.slice(from + comma + remark.length);
  const tail = /^[ \t]*\}/.test(rest) ? `${newline}${outer}${rest.trimStart()}` : rest;
  const end = quoted && comma === 0 ? "" : ",";
  return head + remark + newline + items.join(",\n").replaceAll("\n", newline) + end + tail;
}

/** One entry: in the style of JSON if the rest is so, else with bare keys and trailing commas. */
function render(key: string, value: unknown, quoted: boolean, step: string, indent: string): string {
  const isBare = !quoted && /^[A-Za-z_$][\w$]*$/.test(key);
  return `${isBare ? key : JSON.stringify(key)}: ${renderValue(value, quoted, step, indent)}`;
}

function renderValue(value: unknown, quoted: boolean, step: string, indent: string): string {
  const inner = indent + step;
  const list = (open: string, items: readonly string[], close: string): string => {
    if (items.length === 0) return open + close;
    return `${open}\n${inner}${items.join(`,\n${inner}`)}${quoted ? "" : ","}\n${indent}${close}`;
  };
  if (Array.isArray(value))
    return list(
      "[",
      value.map((item) => renderValue(item, quoted, step, inner)),
      "]",
    );
  if (!isRecord(value)) return JSON.stringify(value ?? null);
  const entries = Object.entries(value).filter(([, part]) => part !== undefined);
  return list(
    "{",
    entries.map(([key, part]) => render(key, part, quoted, step, inner)),
    "}",
  );
}

/** The indentation of the line that the offset is on. */
function indentOf(text: string, offset: number): string {
  const line = text.slice(text.lastIndexOf("\n", offset - 1) + 1, offset);
  return /^[ \t]*/.exec(line)?.[0] ?? "";
}

function valueAt(value: unknown, path: ConfigPath): unknown {
  return path.reduce<unknown>((part, key) => {
    return Array.isArray(part) ? (part as unknown[])[Number(key)] : asRecord(part)[key];
  }, value);
}

function mergeEntries(value: unknown, path: ConfigPath, entries: Readonly<Record<string, unknown>>): unknown {
  const [key, ...rest] = path;
  const object = asRecord(value);
  return key === undefined ? { ...object, ...entries } : { ...object, [key]: mergeEntries(object[key], rest, entries) };
}

/**
 * Sets one value inside a JSON5 text: in its place if there is one, else as a new entry. Everything else a person wrote
 * stays as it is, comments and spaces included.
 */
export function setJson5(text: string, path: ConfigPath, value: unknown): string {
  const document = readJson5(text.trim() === "" ? "{}" : text);
  const place = document.places.get(pathKey(path));
  const key = path.at(-1);
  if (place === undefined && key !== undefined) return appendJson5(text, path.slice(0, -1), { [key]: value });
  const { key: start, value: from, end } = place ?? { key: 0, value: 0, end: text.length };
  const shown = renderValue(value, isJson(text), "  ", indentOf(text, start));
  const changed = text.slice(0, from) + shown + text.slice(end);
  // A key that is there twice would keep its other value.
  if (isDeepStrictEqual(parsedOrUndefined(changed), withValue(document.value, path, value))) return changed;
  throw new Fault(
    "config",
    `${formatPath(path)} can't be changed without changing something else. Nothing was written. Change it by hand.`,
  );
}

/**
 * Removes one entry of an object or a list from a JSON5 text, with the comment on its line. Everything else a person wrote stays as
 * it is, comments above it and spaces included.
 */
export function removeJson5(text: string, path: ConfigPath): string {
  const document = readJson5(text);
  const place = document.places.get(pathKey(path));
  if (place === undefined) throw new Fault("not-found", `There is no ${formatPath(path)} in the configuration.`);
  const shorter = cutEntry(text, place, previousOf(document, path, place));
  if (isDeepStrictEqual(parsedOrUndefined(shorter), withoutEntry(document.value, path))) return shorter;
  // The text is cut by hand: of a key that is there twice, for example, the other one would remain.
  throw new Fault(
    "config",
    `${formatPath(path)} can't be removed without changing something else. Nothing was written. Remove it by hand.`,
  );
}

function cutEntry(text: string, { key, end }: EntryOffsets, previous: EntryOffsets | undefined): string {
  const comma = commaAfter(text, end);
  const rest = text.slice(end + comma);
  const remark = sameLineComment(rest);
  const lineEnd = /^[ \t]*(?:\r\n|\n|$)/.exec(rest.slice(remark.length))?.[0];
  const lineStart = text.lastIndexOf("\n", key - 1) + 1;
  const hasOwnLines = lineEnd !== undefined && text.slice(lineStart, key).trim() === "";
  const before = text.slice(0, hasOwnLines ? lineStart : key);
  const head = comma > 0 || previous === undefined ? before : withoutComma(before, previous.end);
  return head + (hasOwnLines ? rest.slice(remark.length + lineEnd.length) : rest.replace(/^[ \t]+/, ""));
}

/** If the last entry had no comma, the new last entry gets none either: a JSON file stays JSON. */
function withoutComma(text: string, offset: number): string {
  const comma = commaAfter(text, offset);
  return comma === 0 ? text : text.slice(0, offset + comma - 1) + text.slice(offset + comma);
}

function previousOf(
  { value, places }: Json5Document,
  path: ConfigPath,
  { key }: EntryOffsets,
): EntryOffsets | undefined {
  const parent = path.slice(0, -1);
  const whole = valueAt(value, parent);
  return (Array.isArray(whole) ? [...whole.keys()] : Object.keys(asRecord(whole)))
    .flatMap((name) => places.get(pathKey([...parent, name])) ?? [])
    .filter((place) => place.end <= key)
    .toSorted((a, b) => a.end - b.end)
    .at(-1);
}

function parsedOrUndefined(text: string): unknown {
  try {
    return readJson5(text).value;
  } catch {
    return undefined;
  }
}

/** Such a file stays one that every program can read. */
function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function withValue(whole: unknown, [key, ...rest]: ConfigPath, value: unknown): unknown {
  if (key === undefined) return value;
  if (Array.isArray(whole)) {
    return (whole as unknown[]).map((part, index) => (index === key ? withValue(part, rest, value) : part));
  }
  const object = asRecord(whole);
  return { ...object, [key]: withValue(object[key], rest, value) };
}

function withoutEntry(value: unknown, [key = "", ...rest]: ConfigPath): unknown {
  if (Array.isArray(value) && rest.length === 0) return value.toSpliced(Number(key), 1);
  if (!isRecord(value)) return value;
  const entries = Object.entries(value);
  if (rest.length === 0) return Object.fromEntries(entries.filter(([name]) => name !== key));
  return Object.fromEntries(entries.map(([name, part]) => [name, name === key ? withoutEntry(part, rest) : part]));
}

/** How many characters after a value its comma ends; 0 if it has none. Commas inside comments don't count. */
function commaAfter(text: string, offset: number): number {
  const comma = /(?:\s|\/\/[^\n\r\u2028\u2029]*(?=[\n\r\u2028\u2029])|\/\*(?:[^*]|\*(?!\/))*\*\/)*,/y;
  comma.lastIndex = offset;
  return comma.exec(text)?.[0].length ?? 0;
}

/** The comment at the end of the line. */
function sameLineComment(text: string): string {
  return /^[ \t]*(?:\/\/[^\n\r\u2028\u2029]*|\/\*(?:[^*\n\r]|\*(?!\/))*\*\/)/.exec(text)?.[0] ?? "";
}
