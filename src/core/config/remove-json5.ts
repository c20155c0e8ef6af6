import { isDeepStrictEqual } from "node:util";
import { Fault } from "../fault.ts";
import { asRecord, isRecord } from "../is-record.ts";
import { type ConfigPath, formatPath, pathKey } from "./config-path.ts";
import { commaAfter, sameLineRemark } from "./json5-marks.ts";
import { readJson5, type Json5Document, type Place } from "./read-json5.ts";

/**
 * Takes one entry of an object out of a JSON5 text, with the comment on its own line. Everything else a person wrote stays
 * as it is, comments above it and spaces included.
 */
export function removeJson5(text: string, path: ConfigPath): string {
  const document = readJson5(text);
  const place = document.places.get(pathKey(path));
  if (place === undefined) throw new Fault("not-found", `There is no ${formatPath(path)} in the configuration.`);
  const shorter = cut(text, place, previousOf(document, path, place));
  if (isDeepStrictEqual(valueOf(shorter), without(document.value, path))) return shorter;
  // The text is cut by hand: a key that stands there twice, say, would come to light again.
  throw new Fault("config", `${formatPath(path)} can't be taken out alone. Nothing was written; do it by hand.`);
}

function cut(text: string, { key, end }: Place, previous: Place | undefined): string {
  const comma = commaAfter(text, end);
  const rest = text.slice(end + comma);
  const remark = sameLineRemark(rest);
  const lineEnd = /^[ \t]*(?:\r\n|\n|$)/.exec(rest.slice(remark.length))?.[0];
  const lineStart = text.lastIndexOf("\n", key - 1) + 1;
  const hasOwnLines = lineEnd !== undefined && text.slice(lineStart, key).trim() === "";
  const before = text.slice(0, hasOwnLines ? lineStart : key);
  const head = comma > 0 || previous === undefined ? before : withoutComma(before, previous.end);
  return head + (hasOwnLines ? rest.slice(remark.length + lineEnd.length) : rest.replace(/^[ \t]+/, ""));
}

/** Where the last entry had no comma, the one that is last now gets none either: a file in the style of JSON stays JSON. */
function withoutComma(text: string, offset: number): string {
  const comma = commaAfter(text, offset);
  return comma === 0 ? text : text.slice(0, offset + comma - 1) + text.slice(offset + comma);
}

function previousOf({ value, places }: Json5Document, path: ConfigPath, { key }: Place): Place | undefined {
  const parent = path.slice(0, -1);
  const object = parent.reduce<unknown>((part, name) => asRecord(part)[name], value);
  return Object.keys(asRecord(object))
    .flatMap((name) => places.get(pathKey([...parent, name])) ?? [])
    .filter((place) => place.end <= key)
    .toSorted((a, b) => a.end - b.end)
    .at(-1);
}

function valueOf(text: string): unknown {
  try {
    return readJson5(text).value;
  } catch {
    return undefined;
  }
}

function without(value: unknown, [key = "", ...rest]: ConfigPath): unknown {
  if (!isRecord(value)) return value;
  const entries = Object.entries(value);
  if (rest.length === 0) return Object.fromEntries(entries.filter(([name]) => name !== key));
  return Object.fromEntries(entries.map(([name, part]) => [name, name === key ? without(part, rest) : part]));
}
