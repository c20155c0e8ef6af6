import { isDeepStrictEqual } from "node:util";
import { type ConfigPath, formatPath, pathKey } from "../../../core/config/config-path.ts";
import { readJson5 } from "../../../core/config/json5/read-json5.ts";
import { Fault } from "../../../core/fault.ts";
import { isRecord } from "../../../core/is-record.ts";
import { findSecrets, maskComment, maskConfig, stringOrComment } from "../config-text.ts";

/** What every mask begins with. */
const sign = "[redacted";

/**
 * Puts back what was masked when the configuration was shown. A masked value counts only where it was: one that was
 * moved, or changed in part, can't be known, and is a fault that names it.
 */
export function unmaskConfig(text: string, current: string): string {
  const before = readOrEmpty(current);
  const masked = new Map([...findSecrets(before.value, [], false)].map(({ path, shown }) => [pathKey(path), shown]));
  if (masked.size === 0 && !text.includes(sign)) return text;
  const edited = readJson5(text);
  const shown = readOrEmpty(maskConfig(current) ?? "").value;
  const edits = [...textsIn(edited.value, [])].flatMap(({ path, value }) => {
    const key = pathKey(path);
    const [place, old] = [edited.places.get(key), before.places.get(key)];
    const isMasked = masked.get(key) === JSON.stringify(value) && isInPlace(path, edited.value, shown);
    const isUnknown =
      value.includes(sign) && (old === undefined || current.slice(old.value, old.end) !== JSON.stringify(value));
    if (!isMasked && isUnknown) throw unknownValue(path, text.slice(0, place?.key ?? 0).split("\n").length);
    if (!isMasked || place === undefined || old === undefined) return [];
    return [{ from: place.value, to: place.end, original: current.slice(old.value, old.end) }];
  });
  const whole = edits
    .toSorted((a, b) => b.from - a.from)
    .reduce((all, { from, to, original }) => all.slice(0, from) + original + all.slice(to), text);
  return unmaskComments(whole, current);
}

/** A file that can't be read is replaced as a whole: nothing of it was shown. */
function readOrEmpty(text: string): ReturnType<typeof readJson5> {
  try {
    return readJson5(text);
  } catch {
    return readJson5("{}");
  }
}

/** Whether the items of the lists on this path are where they were: all masked values look the same. */
function isInPlace(path: ConfigPath, edited: unknown, shown: unknown): boolean {
  return path.every((index, depth) => {
    if (typeof index !== "number") return true;
    const [now, old] = [edited, shown].map((value) => valueAt(value, path.slice(0, depth)));
    if (!Array.isArray(now) || !Array.isArray(old)) return false;
    // The fields of an item say which one it is; a masked text is known by what is before it.
    if (depth < path.length - 1) return isDeepStrictEqual(now[index], old[index]);
    if (isDeepStrictEqual(now.slice(0, index), old.slice(0, index))) return true;
    return now.length === old.length && isDeepStrictEqual(now[index - 1], old[index - 1]);
  });
}

function valueAt(value: unknown, path: ConfigPath): unknown {
  return path.reduce<unknown>((parent, key) => (parent as Record<string | number, unknown> | undefined)?.[key], value);
}

interface FoundText {
  readonly path: ConfigPath;
  readonly value: string;
}

function* textsIn(value: unknown, path: ConfigPath): Generator<FoundText> {
  if (typeof value === "string") yield { path, value };
  if (Array.isArray(value)) for (const [index, item] of value.entries()) yield* textsIn(item, [...path, index]);
  else if (isRecord(value)) for (const [key, item] of Object.entries(value)) yield* textsIn(item, [...path, key]);
}

/** A comment with a masked part that is otherwise unchanged. Others stay as they were typed. */
function unmaskComments(text: string, current: string): string {
  const originals = new Map<string, string[]>();
  for (const [part] of current.matchAll(stringOrComment)) {
    if (!part.startsWith("/") || maskComment(part) === part) continue;
    const alike = originals.get(maskComment(part)) ?? [];
    originals.set(maskComment(part), [...alike, part]);
  }
  if (originals.size === 0) return text;
  // Those that look the same are taken in their order.
  return text.replaceAll(stringOrComment, (part) =>
    part.startsWith("/") ? (originals.get(part)?.shift() ?? part) : part,
  );
}

function unknownValue(path: ConfigPath, line: number): Fault {
  const name = formatPath(path);
  return new Fault(
    "bad-params",
    `${name} is masked, and its value is not known here. Enter it again, or write $NAME to read it from the environment.`,
    { detail: { path: name, line } },
  );
}
