import type { SlicedWork } from "../../core/slices/in-slices.ts";
import { endOfPlainString, endOfString } from "../../core/slices/parse-json.ts";

/** So many values in one message are read. Each of them costs time in which no one else is served. */
export const maxValues = 500_000;

/** Each value takes a character at least, and what separates it from the next. */
const minChars = 2 * maxValues;

const [quote, comma, openArray] = [34, 44, 91];

/** Whether a JSON text has more values than are read. Ends as soon as it does, without parsing anything. */
export function* hasTooManyValues(text: string): SlicedWork<boolean> {
  if (text.length < minChars) return false;
  let values = 0;
  for (let index = 0, steps = 1; index < text.length; index++, steps++) {
    const code = text.charCodeAt(index);
    // A value follows each of these, so lists of empty lists count, too.
    if ((code === comma || code === openArray) && ++values > maxValues) return true;
    if (code === quote) {
      // Most of a large message is in strings, which are not read but skipped.
      const end = endOfPlainString(text, index);
      index = end === -1 ? yield* endOfString(text, index) : end;
    }
    if (steps % 65_536 === 0) yield;
  }
  return false;
}
