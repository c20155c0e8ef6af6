import { isRecord } from "../../core/is-record.ts";

/** A checked copy of an untrusted schema: every keyword in it has a valid value. */
export interface SchemaNode {
  /** The name of a target in `Targets`, not a pointer. */
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly allOf?: readonly SubSchema[];
  readonly anyOf?: readonly SubSchema[];
  readonly oneOf?: readonly SubSchema[];
  readonly not?: SubSchema;
  readonly if?: SubSchema;
  readonly then?: SubSchema;
  readonly else?: SubSchema;

  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly multipleOf?: number;

  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;

  readonly prefixItems?: readonly SubSchema[];
  readonly items?: SubSchema | readonly SubSchema[];
  readonly additionalItems?: SubSchema;
  readonly unevaluatedItems?: SubSchema;
  readonly contains?: SubSchema;
  readonly minContains?: number;
  readonly maxContains?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;

  readonly properties?: Readonly<Record<string, SubSchema>>;
  readonly patternProperties?: Readonly<Record<string, SubSchema>>;
  readonly additionalProperties?: SubSchema;
  readonly unevaluatedProperties?: SubSchema;
  readonly propertyNames?: SubSchema;
  readonly required?: readonly string[];
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly dependentRequired?: Readonly<Record<string, readonly string[]>>;
  readonly dependentSchemas?: Readonly<Record<string, SubSchema>>;
  readonly dependencies?: Readonly<Record<string, SubSchema | readonly string[]>>;
}

export type SubSchema = SchemaNode | boolean;

/** The schemas that the references of a copy name. */
export type Targets = Readonly<Record<string, SubSchema>>;

/** What the value of a keyword consists of, which decides how it is copied. */
type KeywordShape = "reference" | "schema" | "schemas" | "schema or schemas" | "schema map" | "needs map" | "data";

export interface Keyword {
  readonly shape: KeywordShape;
  /** Whether the specification allows this value for a `data` keyword. */
  readonly fits: (value: unknown) => boolean;
}

const typeNames: ReadonlySet<unknown> = new Set(["string", "number", "integer", "boolean", "null", "object", "array"]);

/** Longer patterns are ignored; real ones are much shorter. */
const maxPatternLength = 4096;

/**
 * Every keyword that is checked. Others (titles, defaults, `format`, unknown words) are annotations and never reach the
 * validator. The list includes keywords of older drafts that tools still use.
 */
export const schemaKeywords: ReadonlyMap<string, Keyword> = new Map([
  ...ofShape("reference", ["$ref", "$dynamicRef"]),
  ...ofShape("schema", ["not", "if", "then", "else", "contains", "propertyNames", "additionalProperties"]),
  ...ofShape("schema", ["unevaluatedProperties", "additionalItems", "unevaluatedItems"]),
  ...ofShape("schemas", ["allOf", "anyOf", "oneOf", "prefixItems"]),
  ...ofShape("schema or schemas", ["items"]),
  ...ofShape("schema map", ["properties", "patternProperties", "dependentSchemas"]),
  ...ofShape("needs map", ["dependencies"]),
  ...ofShape("data", ["type"], isType),
  ...ofShape("data", ["const"]),
  ...ofShape("data", ["enum"], Array.isArray),
  ...ofShape("data", ["required"], isNames),
  ...ofShape("data", ["dependentRequired"], (value) => isRecord(value) && Object.values(value).every(isNames)),
  ...ofShape("data", ["pattern"], isPattern),
  ...ofShape("data", ["uniqueItems"], (value) => typeof value === "boolean"),
  ...ofShape("data", ["multipleOf"], (value) => isNumber(value) && value > 0),
  ...ofShape("data", ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"], isNumber),
  ...ofShape("data", ["minLength", "maxLength", "minItems", "maxItems"], isCount),
  ...ofShape("data", ["minProperties", "maxProperties", "minContains", "maxContains"], isCount),
]);

export function isNames(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((name) => typeof name === "string");
}

/** The validator compiles patterns with the `u` flag and throws if that fails. */
export function isPattern(value: unknown): boolean {
  if (typeof value !== "string" || value.length > maxPatternLength) return false;
  try {
    return new RegExp(value, "u") instanceof RegExp;
  } catch {
    return false;
  }
}

function isType(value: unknown): boolean {
  return Array.isArray(value) ? value.every((name) => typeNames.has(name)) : typeNames.has(value);
}

function isNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

function isCount(value: unknown): boolean {
  return isNumber(value) && Number.isInteger(value) && value >= 0;
}

function ofShape(shape: KeywordShape, names: readonly string[], fits: Keyword["fits"] = () => true) {
  return names.map((name): [string, Keyword] => [name, { shape, fits }]);
}
