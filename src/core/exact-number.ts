import { Fault } from "./fault.ts";

/**
 * A number that a double can't hold, as its sender wrote it: an integer beyond 2^53, more digits than a double has, an
 * exponent beyond it, or `-0`. `JSON.stringify` writes it unchanged. All other code treats it as a value without parts
 * (`isRecord` says that it is none), or asks for a double.
 */
export interface ExactNumber {
  readonly rawJSON: string;
}

/** ECMAScript's "JSON.parse source text access", which Node has since 21 and TypeScript does not declare. */
export interface ExactJson {
  parse(text: string, revive: (key: string, value: unknown, context: { readonly source?: string }) => unknown): unknown;
  rawJSON(text: string): ExactNumber;
  isRawJSON(value: unknown): value is ExactNumber;
}
const json = JSON as unknown as ExactJson;

/** Most processes never see one: until the first, nothing is looked through for them. */
let isAnySeen = false;

export function exactNumber(source: string): ExactNumber {
  isAnySeen = true;
  return json.rawJSON(source);
}

export function isExactNumber(value: unknown): value is ExactNumber {
  return isAnySeen && json.isRawJSON(value);
}

/** The same object for the same number, so that it can be a key. */
export function sharedExactNumber(number: ExactNumber): ExactNumber {
  const known = shared.get(number.rawJSON)?.deref();
  if (known !== undefined) return known;
  shared.set(number.rawJSON, new WeakRef(number));
  forgotten.register(number, number.rawJSON);
  return number;
}
const shared = new Map<string, WeakRef<ExactNumber>>();
const forgotten = new FinalizationRegistry<string>((source) => {
  if (shared.get(source)?.deref() === undefined) shared.delete(source);
});

/**
 * The value with the nearest doubles in place of exact numbers, for code that compares: what is no zero stays none, and
 * what is finite stays finite. The value itself if it has none.
 */
export function roundNumbers(value: unknown): unknown {
  return isAnySeen ? replaceExact(value, ({ rawJSON }) => nearestDouble(rawJSON)) : value;
}

/** The value with `0` for `-0`. Faults for all other exact numbers: code that computes with one would compute with another. */
export function requireDoubles(value: unknown): unknown {
  if (!isAnySeen) return value;
  return replaceExact(value, ({ rawJSON }) => {
    const double = nearestDouble(rawJSON);
    if (double === 0) return 0;
    const shown = rawJSON.length > 40 ? `${rawJSON.slice(0, 40)}…` : rawJSON;
    throw new Fault(
      "bad-params",
      `The number ${shown} has more digits than can be computed with. Send it as a string.`,
    );
  });
}

function nearestDouble(source: string): number {
  const double = Number(source);
  if (!Number.isFinite(double)) return Math.sign(double) * Number.MAX_VALUE;
  if (double !== 0 || !/^[^eE]*[1-9]/.test(source)) return double;
  return source.startsWith("-") ? -Number.MIN_VALUE : Number.MIN_VALUE;
}

/** What is nested deeper is left as it is: nothing here looks there. */
const deepest = 200;

function replaceExact(value: unknown, replace: (number: ExactNumber) => number, depth = 0): unknown {
  if (typeof value !== "object" || value === null || depth > deepest) return value;
  if (json.isRawJSON(value)) return replace(value);
  let copy: Record<string, unknown> | unknown[] | undefined;
  for (const [key, item] of Object.entries(value)) {
    const replaced = replaceExact(item, replace, depth + 1);
    if (replaced === item) continue;
    copy ??= Array.isArray(value) ? [...(value as unknown[])] : { ...value };
    (copy as Record<string, unknown>)[key] = replaced;
  }
  return copy ?? value;
}
