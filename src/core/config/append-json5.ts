import { isDeepStrictEqual } from "node:util";
import { Fault } from "../fault.ts";
import { asRecord, isRecord } from "../is-record.ts";
import { formatPath, pathKey, type ConfigPath } from "./config-path.ts";
import { commaAfter, sameLineRemark } from "./json5-marks.ts";
import { readJson5, type Json5Document, type Place } from "./read-json5.ts";

/**
 * Adds entries at the end of an object inside a JSON5 text; objects on the way that are missing are made. Everything a
 * person wrote stays as it is, comments and spaces included; a key that is there already is a fault.
 */
export function appendJson5(text: string, path: ConfigPath, entries: Readonly<Record<string, unknown>>): string {
  const document = readJson5(text.trim() === "" ? "{}" : text);
  const added = append(text.trim() === "" ? "{}\n" : text, document, path, entries);
  // The text is put together by hand: what a reader makes of it must be what was there and what was added, nothing else.
  if (isDeepStrictEqual(readJson5(added).value, merge(document.value, path, entries))) return added;
  throw new Fault("internal", "The configuration could not be extended without changing it. Nothing was written.");
}

function append(
  text: string,
  document: Json5Document,
  path: ConfigPath,
  entries: Readonly<Record<string, unknown>>,
): string {
  const object = valueAt(document.value, path);
  const place = document.places.get(pathKey(path));
  const key = path.at(-1);
  if (place === undefined && key !== undefined) return append(text, document, path.slice(0, -1), { [key]: entries });
  if (place === undefined || !isRecord(object)) {
    throw new Fault(
      "config",
      `${formatPath(path) || "The configuration"} is not an object, so nothing can be added to it.`,
    );
  }
  const taken = Object.keys(entries).find((name) => Object.hasOwn(object, name));
  if (taken !== undefined) throw new Fault("conflict", `${formatPath([...path, taken])} is there already.`);
  const children = Object.keys(object).flatMap((name) => document.places.get(pathKey([...path, name])) ?? []);
  const last = children.reduce<Place | undefined>((a, b) => (a === undefined || b.end > a.end ? b : a), undefined);
  return insert(text, place, last, entries);
}

function insert(
  text: string,
  object: Place,
  last: Place | undefined,
  entries: Readonly<Record<string, unknown>>,
): string {
  const newline = text.includes("\r\n") ? "\r\n" : "\n";
  const outer = indentOf(text, object.value);
  const own = last === undefined ? "" : indentOf(text, last.key);
  const inner = own.length > outer.length ? own : outer + (outer.includes("\t") ? "\t" : "  ");
  const step = inner.slice(outer.length);
  const quoted = text[last?.key ?? object.key] === '"';
  const items = Object.entries(entries).map(([key, value]) => inner + render(key, value, quoted, step, inner));

  const from = last?.end ?? object.value + 1;
  const comma = last === undefined ? 0 : commaAfter(text, from);
  const head = comma > 0 || last === undefined ? text.slice(0, from + comma) : `${text.slice(0, from)},`;
  const remark = sameLineRemark(text.slice(from + comma, object.end - 1));
  const rest = text.slice(from + comma + remark.length);
  const tail = /^[ \t]*\}/.test(rest) ? `${newline}${outer}${rest.trimStart()}` : rest;
  const end = quoted && comma === 0 ? "" : ",";
  return head + remark + newline + items.join(",\n").replaceAll("\n", newline) + end + tail;
}

/** One entry. In the style of JSON where the rest is so, else with bare keys and a comma after the last of each list. */
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

/** The white space that the line of an offset begins with. */
function indentOf(text: string, offset: number): string {
  const line = text.slice(text.lastIndexOf("\n", offset - 1) + 1, offset);
  return /^[ \t]*/.exec(line)?.[0] ?? "";
}

function valueAt(value: unknown, path: ConfigPath): unknown {
  return path.reduce<unknown>((part, key) => asRecord(part)[key], value);
}

function merge(value: unknown, path: ConfigPath, entries: Readonly<Record<string, unknown>>): unknown {
  const [key, ...rest] = path;
  const object = asRecord(value);
  return key === undefined ? { ...object, ...entries } : { ...object, [key]: merge(object[key], rest, entries) };
}
