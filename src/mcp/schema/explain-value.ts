import { isRecord } from "../../core/is-record.ts";
import { countCharacters } from "./measure-value.ts";
import type { SchemaNode, SubSchema } from "./schema-keywords.ts";

/** Whether a value fits a part of the prepared schema. */
export type Fits = (schema: SubSchema, value: unknown) => boolean;

/** The problems that the keywords for the value itself, not for its parts, find. */
export function* explainValue(schema: SchemaNode, value: unknown, fits: Fits): Generator<string, void> {
  if (!allowsKind(schema.type, value)) {
    yield `expected ${[schema.type].flat().join(" or ")}, got ${kindOf(value)}`;
    return;
  }
  yield* explainListed(schema, value);
  if (typeof value === "number") yield* explainNumber(schema, value, fits);
  else if (typeof value === "string") yield* explainString(schema, value);
  else if (Array.isArray(value)) yield* explainArray(schema, value, fits);
  else if (isRecord(value)) yield* explainObject(schema, value, fits);
  if (schema.not !== undefined && fits(schema.not, value)) yield "has a form that is not allowed";
}

/** Whether a schema's `type` allows this value. */
export function allowsKind(type: SchemaNode["type"], value: unknown): boolean {
  if (type === undefined) return true;
  const kind = kindOf(value);
  return [type].flat().some((name) => name === kind || (name === "integer" && Number.isInteger(value)));
}

function* explainListed(schema: SchemaNode, value: unknown): Generator<string> {
  if (schema.const !== undefined && !isSame(schema.const, value)) yield `expected ${listAllowed([schema.const])}`;
  if (schema.enum === undefined || schema.enum.some((allowed) => isSame(allowed, value))) return;
  yield schema.enum.length === 0 ? "no value is allowed" : `expected one of ${listAllowed(schema.enum)}`;
}

function isSame(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => isSame(item, b[index]));
  }
  if (!isRecord(a) || !isRecord(b)) return a === b;
  const names = Object.keys(a);
  if (names.length !== Object.keys(b).length) return false;
  return names.every((name) => Object.hasOwn(b, name) && isSame(a[name], b[name]));
}

function* explainNumber(schema: SchemaNode, value: number, fits: Fits): Generator<string> {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  if (minimum !== undefined && value < minimum) yield `must be at least ${minimum}`;
  if (maximum !== undefined && value > maximum) yield `must be at most ${maximum}`;
  if (exclusiveMinimum !== undefined && value <= exclusiveMinimum) yield `must be more than ${exclusiveMinimum}`;
  if (exclusiveMaximum !== undefined && value >= exclusiveMaximum) yield `must be less than ${exclusiveMaximum}`;
  if (multipleOf !== undefined && !fits({ multipleOf }, value)) yield `must be a multiple of ${multipleOf}`;
}

function* explainString(
  { minLength = 0, maxLength = Infinity, pattern }: SchemaNode,
  value: string,
): Generator<string> {
  const length = minLength > 0 || maxLength < Infinity ? countCharacters(value) : 0;
  if (length < minLength) yield `must be at least ${counted(minLength, "character")} long`;
  if (length > maxLength) yield `must be at most ${counted(maxLength, "character")} long`;
  if (pattern === undefined || new RegExp(pattern, "u").test(value)) return;
  yield `must match the pattern ${quoteName(pattern)}`;
}

function* explainArray(schema: SchemaNode, value: readonly unknown[], fits: Fits): Generator<string> {
  const { minItems = 0, maxItems = Infinity, contains, minContains = 1, maxContains = Infinity } = schema;
  if (value.length < minItems) yield `must have at least ${counted(minItems, "item")}`;
  if (value.length > maxItems) yield `must have at most ${counted(maxItems, "item")}`;
  if (schema.uniqueItems === true && !fits({ uniqueItems: true }, value)) yield "must not have the same item twice";
  if (contains === undefined) return;
  const found = value.filter((item) => fits(contains, item)).length;
  if (found < minContains) yield `must have at least ${counted(minContains, "item")} of a certain form`;
  if (found > maxContains) yield `must have at most ${counted(maxContains, "item")} of a certain form`;
}

function* explainObject(schema: SchemaNode, value: Readonly<Record<string, unknown>>, fits: Fits): Generator<string> {
  const { required = [], minProperties = 0, maxProperties = Infinity, propertyNames } = schema;
  for (const name of required) if (!Object.hasOwn(value, name)) yield `missing field ${quoteName(name)}`;
  for (const [name, needs] of Object.entries({ ...schema.dependencies, ...schema.dependentRequired })) {
    if (!Object.hasOwn(value, name) || !isList(needs)) continue;
    for (const need of needs) {
      if (!Object.hasOwn(value, need)) yield `missing field ${quoteName(need)}, which ${quoteName(name)} needs`;
    }
  }
  const names = Object.keys(value);
  if (names.length < minProperties) yield `must have at least ${counted(minProperties, "field")}`;
  if (names.length > maxProperties) yield `must have at most ${counted(maxProperties, "field")}`;
  if (propertyNames === undefined) return;
  for (const name of names) if (!fits(propertyNames, name)) yield `field name ${quoteName(name)} is not allowed`;
}

/** `Array.isArray` for lists that the type checker knows as read-only. */
export function isList<T>(value: SubSchema | readonly T[] | undefined): value is readonly T[] {
  return Array.isArray(value);
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** The position in a value: field names and array indexes from the root down. */
export type ValuePath = readonly (string | number)[];

const maxNameLength = 60;
const unquotedName = /^[\w$-]{1,60}$/;

/** An untrusted name for a message: quoted, escaped and bounded. */
export function quoteName(name: string): string {
  return JSON.stringify(name.length > maxNameLength ? `${name.slice(0, maxNameLength)}…` : name);
}

/** `filter.sizes[2]: text`, or only the text at the root. */
export function atPath(path: ValuePath, text: string): string {
  if (path.length === 0) return text;
  let written = "";
  for (const step of path) {
    if (typeof step === "number") written += `[${step}]`;
    else if (!unquotedName.test(step)) written += `[${quoteName(step)}]`;
    else written += written === "" ? step : `.${step}`;
  }
  return `${written}: ${text}`;
}

export function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (value === undefined) return "nothing";
  return Array.isArray(value) ? "array" : typeof value;
}

/** The values that a schema lists are not secret, and a caller needs them to fix its arguments. */
function listAllowed(values: readonly unknown[]): string {
  const shown = values.slice(0, 8).map((value) => (typeof value === "string" ? quoteName(value) : shorten(value)));
  return values.length > shown.length ? `${shown.join(", ")}, …` : shown.join(", ");
}

function shorten(value: unknown): string {
  return typeof value === "object" && value !== null ? kindOf(value) : String(value);
}
