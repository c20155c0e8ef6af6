import { isRecord } from "../is-record.ts";
import { nearestName } from "../text/nearest-name.ts";
import { pathKey, type ConfigPath } from "./config-path.ts";

/** The part of JSON Schema that our schemas use. */
export interface CheckedSchema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, CheckedSchema>>;
  readonly required?: readonly string[] | undefined;
  readonly patternProperties?: Readonly<Record<string, CheckedSchema>>;
  readonly additionalProperties?: boolean;
  readonly items?: CheckedSchema;
  readonly anyOf?: readonly CheckedSchema[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly default?: unknown;
  readonly description?: string;
}

export interface ConfigFinding {
  readonly path: ConfigPath;
  readonly message: string;
  /** The known name that was probably meant. */
  readonly suggestion?: string;
  /** The environment variable that is not set. */
  readonly variable?: string;
}

/**
 * Checks a value against a schema. Returns it with its defaults filled in, and everything that is wrong with it. A string
 * at a `substituted` path came from the environment, where everything is text: it may stand for a number or a flag.
 */
export function checkValue(
  schema: CheckedSchema,
  value: unknown,
  substituted: ReadonlySet<string>,
): { readonly value: unknown; readonly findings: readonly ConfigFinding[] } {
  const findings: ConfigFinding[] = [];
  const report = (path: ConfigPath, message: string, suggestion?: string): void => {
    findings.push(suggestion === undefined ? { path, message } : { path, message, suggestion });
  };

  function check(schema: CheckedSchema, given: unknown, path: ConfigPath): unknown {
    if (schema.anyOf !== undefined) return checkAny(schema.anyOf, given, path);
    const value = substituted.has(pathKey(path)) ? convert(schema, given) : given;
    if (schema.enum !== undefined) checkChoice(schema.enum, value, path);
    if (schema.type !== undefined && !isType(schema.type, value)) {
      report(path, `must be ${typeNames[schema.type] ?? schema.type}, but is ${kindOf(value)}`);
    } else if (typeof value === "string") checkText(schema, value, path);
    else if (typeof value === "number") checkNumber(schema, value, path);
    else if (Array.isArray(value)) return value.map((item, index) => check(schema.items ?? {}, item, [...path, index]));
    else if (isRecord(value)) return checkRecord(schema, value, path);
    return value;
  }

  function checkAny(choices: readonly CheckedSchema[], given: unknown, path: ConfigPath): unknown {
    const before = findings.length;
    for (const choice of choices) {
      const value = check(choice, given, path);
      if (findings.length === before) return value;
      findings.length = before;
    }
    report(path, `must be ${choices.map(describeChoice).join(" or ")}`);
    return given;
  }

  function checkRecord(schema: CheckedSchema, value: Readonly<Record<string, unknown>>, path: ConfigPath): unknown {
    const { properties = {}, required = [] } = schema;
    const defaults = Object.entries(properties).filter(
      ([key, part]) => !Object.hasOwn(value, key) && part.default !== undefined,
    );
    const whole = {
      ...Object.fromEntries(defaults.map(([key, part]) => [key, structuredClone(part.default)])),
      ...value,
    };
    for (const key of required) if (!Object.hasOwn(whole, key)) report([...path, key], "is missing");
    return Object.fromEntries(
      Object.entries(whole).map(([key, item]) => {
        const part = findPart(schema, key);
        if (part === undefined) checkUnknownKey(schema, key, [...path, key]);
        return [key, part === undefined ? item : check(part, item, [...path, key])];
      }),
    );
  }

  function checkUnknownKey(schema: CheckedSchema, key: string, path: ConfigPath): void {
    if (schema.additionalProperties !== false) return;
    const [pattern] = Object.keys(schema.patternProperties ?? {});
    if (pattern !== undefined) return report(path, `has a name that does not match ${pattern}`);
    report(path, "is not a known setting", nearestName(key, Object.keys(schema.properties ?? {})));
  }

  function checkChoice(choices: readonly unknown[], value: unknown, path: ConfigPath): void {
    if (choices.includes(value)) return;
    const words = choices.filter((choice) => typeof choice === "string");
    const near = typeof value === "string" ? nearestName(value, words) : undefined;
    report(path, `must be one of ${choices.map((choice) => JSON.stringify(choice)).join(", ")}`, near);
  }

  function checkText({ minLength, maxLength, pattern }: CheckedSchema, value: string, path: ConfigPath): void {
    if (minLength !== undefined && value.length < minLength) report(path, value === "" ? "is empty" : "is too short");
    if (maxLength !== undefined && value.length > maxLength) report(path, `has more than ${maxLength} characters`);
    if (pattern !== undefined && !new RegExp(pattern, "u").test(value)) report(path, `does not match ${pattern}`);
  }

  function checkNumber({ minimum, maximum, exclusiveMinimum }: CheckedSchema, value: number, path: ConfigPath): void {
    if (minimum !== undefined && value < minimum) report(path, `must be at least ${minimum}, but is ${value}`);
    if (maximum !== undefined && value > maximum) report(path, `must be at most ${maximum}, but is ${value}`);
    if (exclusiveMinimum !== undefined && value <= exclusiveMinimum)
      report(path, `must be more than ${exclusiveMinimum}, but is ${value}`);
  }

  return { value: check(schema, value, []), findings };
}

const typeNames: Readonly<Record<string, string>> = {
  string: "a string",
  integer: "a whole number",
  number: "a number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
};

function describeChoice({ type = "", enum: words, minimum, maximum }: CheckedSchema): string {
  if (words !== undefined) return words.map((word) => JSON.stringify(word)).join(" or ");
  const range = minimum !== undefined && maximum !== undefined ? ` from ${minimum} to ${maximum}` : "";
  return `${typeNames[type] ?? type}${range}`;
}

function isType(type: string, value: unknown): boolean {
  if (type === "integer") return Number.isSafeInteger(value);
  if (type === "number") return Number.isFinite(value);
  if (type === "array") return Array.isArray(value);
  return type === "object" ? isRecord(value) : typeof value === type;
}

function findPart(schema: CheckedSchema, key: string): CheckedSchema | undefined {
  if (schema.properties !== undefined && Object.hasOwn(schema.properties, key)) return schema.properties[key];
  const patterns = Object.entries(schema.patternProperties ?? {});
  return patterns.find(([pattern]) => new RegExp(pattern, "u").test(key))?.[1];
}

function convert(schema: CheckedSchema, value: unknown): unknown {
  if (typeof value !== "string") return value;
  if ((schema.type === "integer" || schema.type === "number") && /^-?\d+(?:\.\d+)?$/.test(value)) return Number(value);
  if (schema.type === "boolean" && (value === "true" || value === "false")) return value === "true";
  return value;
}

/** Never the string itself: it may be a secret in the wrong place. */
function kindOf(value: unknown): string {
  if (value === null || typeof value === "boolean" || typeof value === "number") return String(value);
  if (typeof value === "string") return "a string";
  return Array.isArray(value) ? "a list" : "an object";
}
