import { type ConfigPath, formatPath, pathKey } from "../../../core/config/config-path.ts";
import { readJson5 } from "../../../core/config/read-json5.ts";
import { Fault } from "../../../core/fault.ts";
import { isRecord } from "../../../core/is-record.ts";
import { findSecrets, maskComment, stringOrComment } from "../config-text.ts";

/** What every mask begins with. */
const sign = "[redacted";

/**
 * Puts back what was masked when the configuration was shown. A masked value counts only where it was: one that was
 * moved, or changed in part, can't be known, and is a fault that names it.
 */
export function unmaskConfig(text: string, current: string): string {
  const before = readJson5(current.trim() === "" ? "{}" : current);
  const masked = new Map([...findSecrets(before.value, [], false)].map(({ path, shown }) => [pathKey(path), shown]));
  if (masked.size === 0 && !text.includes(sign)) return text;
  const edited = readJson5(text);
  const edits = [...textsIn(edited.value, [])].flatMap(({ path, value }) => {
    const key = pathKey(path);
    const [place, old] = [edited.places.get(key), before.places.get(key)];
    const isMasked = masked.get(key) === JSON.stringify(value);
    const isUnknown =
      value.includes(sign) && (old === undefined || current.slice(old.value, old.end) !== JSON.stringify(value));
    if (!isMasked && isUnknown) throw unknownValue(path);
    if (!isMasked || place === undefined || old === undefined) return [];
    return [{ from: place.value, to: place.end, original: current.slice(old.value, old.end) }];
  });
  const whole = edits
    .toSorted((a, b) => b.from - a.from)
    .reduce((all, { from, to, original }) => all.slice(0, from) + original + all.slice(to), text);
  return unmaskComments(whole, current);
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
  const originals = new Map<string, string>();
  for (const [part] of current.matchAll(stringOrComment))
    if (part.startsWith("/") && maskComment(part) !== part) originals.set(maskComment(part), part);
  if (originals.size === 0) return text;
  return text.replaceAll(stringOrComment, (part) => (part.startsWith("/") ? (originals.get(part) ?? part) : part));
}

function unknownValue(path: ConfigPath): Fault {
  const name = formatPath(path);
  return new Fault(
    "bad-params",
    `${name} is masked, and its value is not known here. Enter it again, or write $NAME to read it from the environment.`,
    { detail: { path: name } },
  );
}
