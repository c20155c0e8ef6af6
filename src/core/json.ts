import { exactNumber, type ExactJson } from "./exact-number.ts";

const json = JSON as unknown as ExactJson;

/** As `JSON.parse`, except that no number changes its value: one that would becomes an `ExactNumber`. */
export function parseJson(text: string): unknown {
  if (text.length <= shortText) return mayChange(text) ? json.parse(text, keepExact) : JSON.parse(text);
  const value: unknown = JSON.parse(text);
  return mayHaveChanged(text, value) ? json.parse(text, keepExact) : value;
}

/** Browsers that do not know the source give no context, and then numbers are doubles as ever. */
function keepExact(_key: string, value: unknown, { source }: { readonly source?: string } = {}): unknown {
  if (typeof value !== "number" || source === undefined || isHeldBy(value, source)) return value;
  return exactNumber(source);
}

/** Whether `JSON.stringify` of the number has the value of its source: `1.0` and `1e2` are held, `-0` is not. */
function isHeldBy(value: number, source: string): boolean {
  const written = String(value);
  if (written === source) return true;
  return Number.isFinite(value) && !Object.is(value, -0) && decimalOf(written) === decimalOf(source);
}

/** The same text for the same value: its digits without zeros around them, and the exponent of the last one. */
function decimalOf(number: string): string {
  const [, sign, whole, fraction = "", exponent = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(number) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, "");
  // Not by an expression: `/0+$/` takes a time that grows with the square of the zeros.
  let end = digits.length;
  while (digits.charCodeAt(end - 1) === 48) end--;
  if (end === 0) return "0";
  return `${sign}${digits.slice(0, end)}e${Number(exponent) - fraction.length + digits.length - end}`;
}

/**
 * What a double may not hold: a number with more than 15 digits, with an exponent of three, or `-0`. A string may look as
 * if it had one, which costs time and nothing else.
 */
const suspect = /[:,[]\s*(?:-0(?!\.\d*[1-9])|-?[\d.]{16}|-?[\d.]+[eE][+-]?\d{3})/;
const shortText = 1024;

function mayChange(text: string): boolean {
  return suspect.test(text) || (text.charCodeAt(0) !== openingBrace && /^\s*[-\d]/.test(text));
}
const openingBrace = 123;

/**
 * The same for a longer text. Most of it is in strings, which the parser reads faster than any expression could, so this
 * looks at the parsed numbers, and at every 16th character.
 */
function mayHaveChanged(text: string, value: unknown): boolean {
  let hasZero = false;
  const open: unknown[] = [value];
  const isSuspect = (item: unknown): boolean => {
    if (typeof item === "object") {
      if (item !== null) open.push(item);
    } else if (item === 0) {
      if (Object.is(item, -0)) return true;
      hasZero = true;
    } else if (typeof item === "number") {
      // With at most 15 digits, an exponent of three makes it as large or as small as this.
      const size = Math.abs(item);
      return size > 1e84 || size < 1e-84;
    }
    return false;
  };
  while (open.length > 0) {
    const next = open.pop() as object;
    if (Array.isArray(next)) {
      for (const item of next) if (isSuspect(item)) return true;
    } else for (const key in next) if (isSuspect((next as Record<string, unknown>)[key])) return true;
  }
  return hasLongNumber(text) || (hasZero && /\d[eE]-\d{3}/.test(text));
}

/** Skips strings, since the end of a long one is found in no time, until they turn out to be short. */
function hasLongNumber(text: string): boolean {
  /** Outside of any string; what is before it was looked at. */
  let at = 0;
  for (let skips = 0; ;) {
    const start = text.indexOf('"', at);
    if (start < 0) return hasLongRun(text, at, text.length);
    let end = start;
    do {
      end = text.indexOf('"', end + 1);
      if (end < 0 || (++skips > 32 && end < skips * 256)) return hasLongRun(text, at, text.length);
    } while (isEscaped(text, end));
    if (hasLongRun(text, at, start)) return true;
    at = end + 1;
  }
}

function isEscaped(text: string, at: number): boolean {
  let slashes = 0;
  while (text.charCodeAt(at - 1 - slashes) === 92) slashes++;
  return slashes % 2 === 1;
}

/** Looks at every 16th character only: a run of 16 digits has one there. */
function hasLongRun(text: string, from: number, to: number): boolean {
  for (let at = from; at < to; at += 16) {
    if (!isDigit(text.charCodeAt(at))) continue;
    let [start, end] = [at, at + 1];
    while (isDigit(text.charCodeAt(start - 1))) start--;
    while (isDigit(text.charCodeAt(end))) end++;
    if (end - start >= 16 && /[-:,[\s]/.test(text.charAt(start - 1))) return true;
    at = end;
  }
  return false;
}

/** Or the point. */
function isDigit(code: number): boolean {
  return code <= 57 && (code >= 48 || code === 46);
}
