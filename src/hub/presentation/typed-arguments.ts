import { roundNumbers } from "../../core/exact-number.ts";
import { parseJson } from "../../core/json.ts";
import { Fault, messageOf } from "../../core/fault.ts";
import { isRecord } from "../../core/is-record.ts";
import { nearestName } from "../../core/text/nearest-name.ts";
import { quoted } from "../../core/text/peer-text.ts";
import type { JsonSchema } from "../../mcp/messages/tool.ts";
import { choicesOf, itemsOf, keysOf, propertyOf, type Shapes, shapesOf, typesOf } from "./argument-schema.ts";

/** Whether a word stands for an object in JSON, on the command line or in the input. */
export const isJsonText = (word: string): boolean => word === "-" || word.trimStart().startsWith("{");

type Values = Record<string, unknown>;

/**
 * Arguments as a person types them: `key=value`, converted to the type in the schema; `a.b=1` for a nested value; a key
 * again for one more element of an array; a JSON object for several at once; and `-` for JSON from the input.
 */
export async function typedArguments(
  words: readonly string[],
  schema: JsonSchema,
  readInput: () => Promise<string>,
): Promise<Values> {
  const values: Values = {};
  const given = new Set<string>();
  for (const word of words) {
    if (word === "-") merge(values, parseObject(await readInput(), "The input"));
    else if (isJsonText(word)) merge(values, parseObject(word, quoted(word, 60)));
    else take(word, values, schema, given);
  }
  return values;
}

function take(word: string, values: Values, schema: JsonSchema, given: Set<string>): void {
  const sign = word.indexOf("=");
  if (sign < 1) {
    const shown = quoted(word, 100);
    throw new Fault("usage", `${shown} is not an argument: write key=value, or one JSON object.`);
  }
  const key = word.slice(0, sign);
  const root = shapesOf(schema, schema);
  const path = pathOf(key, root);
  const { target, shapes } = descend(values, path.slice(0, -1), root, schema, key);
  const name = path.at(-1) ?? key;
  requireKnown(name, key, shapes);
  const inside = propertyOf(shapes, name, schema);
  const value = typedValue(key, word.slice(sign + 1), inside, schema);
  const before = Object.hasOwn(target, name) ? target[name] : undefined;
  if (!given.has(key)) setOwn(target, name, value);
  else if (Array.isArray(before) || typesOf(inside).has("array")) setOwn(target, name, [before, value].flat());
  else throw new Fault("usage", `${key} is given twice, but takes one value.`);
  given.add(key);
}

/** A property whose own name has dots takes precedence over a nested one. */
function pathOf(key: string, root: Shapes): readonly string[] {
  return keysOf(root).names.includes(key) ? [key] : key.split(".");
}

function descend(
  values: Values,
  path: readonly string[],
  root: Shapes,
  schema: JsonSchema,
  key: string,
): { readonly target: Values; readonly shapes: Shapes } {
  let target = values;
  let shapes = root;
  for (const part of path) {
    requireKnown(part, key, shapes);
    shapes = propertyOf(shapes, part, schema);
    const inside = Object.hasOwn(target, part) ? target[part] : {};
    if (!isRecord(inside)) throw new Fault("usage", `${key} is inside ${part}, which already has a value.`);
    setOwn(target, part, inside);
    target = inside;
  }
  return { target, shapes };
}

function requireKnown(name: string, key: string, shapes: Shapes): void {
  const { names, closed } = keysOf(shapes);
  if (!closed || names.includes(name)) return;
  const nearest = nearestName(name, names);
  const hint = nearest === undefined ? `it takes: ${names.join(", ") || "none"}` : `did you mean ${nearest}?`;
  throw new Fault("usage", `There is no argument ${quoted(key, 100)}; ${hint}`);
}

function parseObject(text: string, what: string): Values {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (cause) {
    throw new Fault("usage", `${what} is not JSON: ${messageOf(cause)}`, { cause });
  }
  if (!isRecord(value)) throw new Fault("usage", `${what} must be a JSON object.`);
  return value;
}

function merge(values: Values, more: Values): void {
  for (const [key, value] of Object.entries(more)) setOwn(values, key, value);
}

/** Plain assignment to `__proto__` would set the prototype. */
function setOwn(target: Values, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, enumerable: true, writable: true, configurable: true });
}

/** A typed word as a value of the type in the schema. Without a type it is parsed as JSON, or else taken as text. */
export function typedValue(key: string, text: string, shapes: Shapes, root: JsonSchema): unknown {
  const choices = choicesOf(shapes);
  const chosen = choices.find((choice) => choice === text) ?? choices.find((choice) => JSON.stringify(choice) === text);
  if (chosen !== undefined) return chosen;
  const types = typesOf(shapes);
  if (types.size === 0) return choices.length > 0 ? text : anyValue(text);
  if (types.has("null") && text === "null") return null;
  if (types.has("boolean") && (text === "true" || text === "false")) return text === "true";
  const number = types.has("number") || types.has("integer") ? readNumber(text) : undefined;
  if (number !== undefined && (types.has("number") || Number.isInteger(roundNumbers(number)))) return number;
  if (types.has("array") && text.startsWith("[")) return parsed(key, text, "array");
  if (types.has("object") && text.startsWith("{")) return parsed(key, text, "object");
  if (types.has("string")) return text;
  if (types.has("array")) return [typedValue(key, text, itemsOf(shapes, root), root)];
  throw new Fault("usage", `${key} must be ${expected(types)}, not ${quoted(text, 100)}.`);
}

/** Undefined if it is none. JSON has fewer forms of them: neither `+1` nor `.5`. */
function readNumber(text: string): unknown {
  if (!/^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(text)) return undefined;
  const isJsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(text);
  return isJsonNumber ? parseJson(text) : Number.isFinite(Number(text)) ? Number(text) : undefined;
}

function anyValue(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}

function parsed(key: string, text: string, what: "array" | "object"): unknown {
  try {
    return parseJson(text);
  } catch (cause) {
    throw new Fault("usage", `${key} starts like a JSON ${what} but is not valid: ${(cause as Error).message}`, {
      cause,
    });
  }
}

const names: Readonly<Record<string, string>> = {
  boolean: "true or false",
  integer: "a whole number",
  number: "a number",
  object: "a JSON object",
  null: "null",
};

function expected(types: ReadonlySet<string>): string {
  return [...types].map((type) => names[type] ?? type).join(" or ");
}
