/** So many values in one message are read. Each of them costs time in which no one else is served. */
export const maxValues = 500_000;

/** Each value takes a character at least, and what separates it from the next. */
const minChars = 2 * maxValues;

const [quote, backslash, comma, openArray] = [34, 92, 44, 91];

/** Whether a JSON text has more values than are read. Ends as soon as it does, without parsing anything. */
export function hasTooManyValues(text: string): boolean {
  if (text.length < minChars) return false;
  let values = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    // A value follows each of these, so lists of empty lists count, too.
    if ((code === comma || code === openArray) && ++values > maxValues) return true;
    if (code === quote) index = endOfText(text, index);
  }
  return false;
}

/** Where the string that begins here ends. Most of a large message is in strings, which are not read but skipped. */
function endOfText(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let slashes = 0;
    while (text.charCodeAt(end - 1 - slashes) === backslash) slashes++;
    if (slashes % 2 === 0) return end;
  }
  return text.length;
}
