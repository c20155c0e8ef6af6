import { isExactNumber } from "../exact-number.ts";
import { approximateJsonSize, isJsonLonger, isNotedLarge } from "../json-size.ts";
import { sliceChars } from "./in-slices.ts";
import { slicesOf } from "./text-slices.ts";

export interface WriteJsonOptions {
  /** As the third argument of `JSON.stringify`. */
  readonly indent?: number;
  readonly maxChars?: number;
}

/** A container that is too large to be written at once. */
interface Large {
  readonly value: Readonly<Record<string, unknown>>;
  /** Undefined for an array. */
  readonly keys: readonly string[] | undefined;
  readonly length: number;
  next: number;
  isEmpty: boolean;
}

/** Copies of what was read are this deep at most, so what is not noted is measured down to here. */
const deepestMeasured = 5;
/** Every level indents all that is inside. `JSON.stringify` gives up there, too. */
const deepestIndented = 5000;

/** The pieces of what `JSON.stringify` makes of a value that was parsed, in slices. */
export function* writeJsonInSlices(value: unknown, options: WriteJsonOptions = {}): Generator<string, void, undefined> {
  const { indent = 0, maxChars = sliceChars } = options;
  const open: Large[] = [];
  let text = "";
  yield* write(value);
  while (open.length > 0) {
    const around = open.at(-1)!;
    if (around.next === around.length) close(around);
    else if (around.keys) yield* writeEntry(around, around.keys[around.next++]!);
    else yield* writeItems(around);
    if (text.length < maxChars) continue;
    yield text;
    text = "";
  }
  if (text !== "") yield text;

  function* write(item: unknown): Generator<string, void, undefined> {
    if (typeof item === "string" && item.length > maxChars) {
      text += '"';
      for (const piece of slicesOf(item, maxChars)) {
        yield text + JSON.stringify(piece).slice(1, -1);
        text = "";
      }
      text += '"';
    } else if (isLarge(item)) {
      if (indent > 0 && open.length > deepestIndented) throw new RangeError("Nested too deep to be indented.");
      const keys = Array.isArray(item) ? undefined : Object.keys(item);
      const length = Array.isArray(item) ? item.length : keys!.length;
      open.push({ value: item as Large["value"], keys, length, next: 0, isEmpty: true });
      text += keys ? "{" : "[";
    } else text += indented(JSON.stringify(item, undefined, indent), open.length);
  }

  function isLarge(item: unknown): item is object {
    if (typeof item === "string") return item.length > maxChars;
    if (typeof item !== "object" || item === null || isExactNumber(item)) return false;
    return isNotedLarge(item) || (open.length < deepestMeasured && isJsonLonger(item, maxChars));
  }

  function* writeEntry(around: Large, key: string): Generator<string, void, undefined> {
    const item = around.value[key];
    if (item === undefined) return;
    begin(around);
    text += `${JSON.stringify(key)}:${indent > 0 ? " " : ""}`;
    yield* write(item);
  }

  /** The next item, or as many small ones as fit into a slice. */
  function* writeItems(around: Large): Generator<string, void, undefined> {
    const items = around.value as unknown as readonly unknown[];
    const from = around.next;
    for (let size = 0; around.next < items.length && size < maxChars && !isLarge(items[around.next]); around.next++)
      size += approximateJsonSize(items[around.next]);
    if (around.next > from) {
      const list = JSON.stringify(items.slice(from, around.next), undefined, indent);
      text += around.isEmpty ? "" : ",";
      text += indented(list.slice(1, indent > 0 ? -2 : -1), open.length - 1);
      around.isEmpty = false;
    } else {
      begin(around);
      yield* write(items[around.next++]);
    }
  }

  function begin(around: Large): void {
    text += around.isEmpty ? "" : ",";
    text += lineBreak(open.length);
    around.isEmpty = false;
  }

  function close(closed: Large): void {
    open.pop();
    text += `${closed.isEmpty ? "" : lineBreak(open.length)}${closed.keys ? "}" : "]"}`;
  }

  function lineBreak(depth: number): string {
    return indent > 0 ? `\n${" ".repeat(indent * depth)}` : "";
  }

  function indented(json: string, depth: number): string {
    return indent > 0 && depth > 0 ? json.replaceAll("\n", lineBreak(depth)) : json;
  }
}
