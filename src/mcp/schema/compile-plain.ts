import { isRecord } from "../../core/is-record.ts";
import { isList } from "./explain-value.ts";
import { countCharacters, measureValue } from "./measure-value.ts";
import type { PreparedSchema } from "./prepare-schema.ts";
import type { SchemaNode, SubSchema, Targets } from "./schema-keywords.ts";

export type AcceptsValue = (value: unknown) => boolean;

const plainKeywords: ReadonlySet<string> = new Set(
  (
    "$ref anyOf type enum const minLength maxLength pattern minimum maximum exclusiveMinimum exclusiveMaximum " +
    "items minItems maxItems properties required additionalProperties"
  ).split(" "),
);

/** With references and alternatives expanded. Larger schemas go to the validator, which has a time limit. */
const maxNodes = 1000;
const maxNodesWithAlternatives = 64;

interface Compiling {
  readonly targets: Targets;
  readonly anything: AcceptsValue;
  /** The schemas being compiled, to detect a schema within itself. */
  readonly open: Set<SchemaNode>;
  nodes: number;
  alternatives: boolean;
}

/**
 * Compiles a plain schema into closures. Undefined if the schema needs the validator. A check takes time linear in the
 * value: it walks the keys of the value, never those of the schema, so a large schema alone can't make it slow.
 */
export function compilePlain(schema: PreparedSchema, depth: number): AcceptsValue | undefined {
  const anything: AcceptsValue = (value) => isShallow(value, depth);
  const state: Compiling = { targets: schema.targets, anything, open: new Set(), nodes: 0, alternatives: false };
  const accepts = compile(schema.root, state);
  return state.nodes > (state.alternatives ? maxNodesWithAlternatives : maxNodes) ? undefined : accepts;
}

function compile(schema: SubSchema, state: Compiling): AcceptsValue | undefined {
  if (schema === true) return state.anything;
  if (schema === false) return never;
  if (++state.nodes > maxNodes || state.open.has(schema)) return undefined;
  if (!Object.keys(schema).every((word) => plainKeywords.has(word))) return undefined;
  state.open.add(schema);
  const parts = [compileByType(schema, state), ...compileListed(schema), ...compileBranches(schema, state)];
  state.open.delete(schema);
  return joinAll(parts);
}

function joinAll(parts: readonly (AcceptsValue | undefined)[]): AcceptsValue | undefined {
  const all = parts.filter((part) => part !== undefined);
  if (all.length < parts.length) return undefined;
  return all.length === 1 ? all[0] : (value) => all.every((accepts) => accepts(value));
}

function compileByType(schema: SchemaNode, state: Compiling): AcceptsValue | undefined {
  const types = schema.type === undefined ? undefined : [schema.type].flat();
  const allows = (type: string) => types === undefined || types.includes(type);
  const onString = allows("string") ? compileString(schema) : never;
  const onNumber = allows("number") || allows("integer") ? compileNumber(schema, !allows("number")) : never;
  const onArray = allows("array") ? compileArray(schema, state) : never;
  const onObject = allows("object") ? compileObject(schema, state) : never;
  const onBoolean = allows("boolean");
  const onNull = allows("null");
  if (onString === undefined || onArray === undefined || onObject === undefined) return undefined;
  return (value) => {
    if (typeof value === "string") return onString(value);
    if (typeof value === "number") return onNumber(value);
    if (typeof value === "boolean") return onBoolean;
    if (value === null) return onNull;
    return Array.isArray(value) ? onArray(value) : isRecord(value) && onObject(value);
  };
}

function compileString({ minLength = 0, maxLength = Infinity, pattern }: SchemaNode) {
  if (pattern !== undefined && !isLinearPattern(pattern)) return undefined;
  if (minLength === 0 && maxLength === Infinity && pattern === undefined) return always;
  const regex = pattern === undefined ? undefined : new RegExp(pattern, "u");
  return (value: string): boolean => {
    if (value.length < minLength || value.length > maxLength * 2) return false;
    if ((value.length < minLength * 2 || value.length > maxLength) && !hasLength(value, minLength, maxLength))
      return false;
    return regex === undefined || regex.test(value);
  };
}

function hasLength(value: string, least: number, most: number): boolean {
  const length = countCharacters(value);
  return length >= least && length <= most;
}

function compileNumber(schema: SchemaNode, wholeOnly: boolean) {
  const { minimum = -Infinity, maximum = Infinity, exclusiveMinimum, exclusiveMaximum } = schema;
  return (value: number): boolean =>
    (!wholeOnly || Number.isInteger(value)) &&
    value >= minimum &&
    value <= maximum &&
    (exclusiveMinimum === undefined || value > exclusiveMinimum) &&
    (exclusiveMaximum === undefined || value < exclusiveMaximum);
}

function compileArray({ items = true, minItems = 0, maxItems = Infinity }: SchemaNode, state: Compiling) {
  const onItem = isList(items) ? undefined : compile(items, state);
  if (onItem === undefined) return undefined;
  return (value: readonly unknown[]): boolean =>
    value.length >= minItems && value.length <= maxItems && value.every((item) => onItem(item));
}

function compileObject({ properties = {}, required = [], additionalProperties = true }: SchemaNode, state: Compiling) {
  const onOther = compile(additionalProperties, state);
  if (onOther === undefined) return undefined;
  const needed = new Set(required);
  const fields = new Map<string, { readonly accepts: AcceptsValue; readonly isNeeded: boolean }>();
  for (const name of needed) fields.set(name, { accepts: onOther, isNeeded: true });
  for (const [name, schema] of Object.entries(properties)) {
    const accepts = compile(schema, state);
    if (accepts === undefined) return undefined;
    fields.set(name, { accepts, isNeeded: needed.has(name) });
  }
  return (value: Readonly<Record<string, unknown>>): boolean => {
    let missing = needed.size;
    for (const name of Object.keys(value)) {
      const field = fields.get(name);
      if (!(field === undefined ? onOther : field.accepts)(value[name])) return false;
      if (field !== undefined && field.isNeeded) missing--;
    }
    return missing === 0;
  };
}

function compileListed(schema: SchemaNode): (AcceptsValue | undefined)[] {
  const lists: (readonly unknown[])[] = [];
  if (schema.enum !== undefined) lists.push(schema.enum);
  if (schema.const !== undefined) lists.push([schema.const]);
  return lists.map((list) => {
    if (list.some((value) => typeof value === "object" && value !== null)) return undefined;
    const listed = new Set(list);
    return (value) => listed.has(value);
  });
}

function compileBranches({ $ref, anyOf }: SchemaNode, state: Compiling): (AcceptsValue | undefined)[] {
  const branches: (AcceptsValue | undefined)[] = [];
  if ($ref !== undefined) branches.push(compile(state.targets[$ref] ?? true, state));
  if (anyOf !== undefined) {
    state.alternatives = true;
    const compiled = anyOf.map((schema) => compile(schema, state));
    const choices = compiled.filter((choice) => choice !== undefined);
    const isPlain = choices.length === compiled.length;
    branches.push(isPlain ? (value) => choices.some((accepts) => accepts(value)) : undefined);
  }
  return branches;
}

function isShallow(value: unknown, depth: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  return typeof measureValue(value, { depth, nodes: Infinity }) === "number";
}

function always(): boolean {
  return true;
}

function never(): boolean {
  return false;
}

/**
 * Whether a pattern surely takes time linear in the text: anchored, without groups, alternatives or back references,
 * and with at most one quantifier of variable count, with little after it to retry. `^[a-z0-9-]{1,64}$` and
 * `^\d{4}-\d{2}-\d{2}$` qualify. Other patterns run under a time limit.
 */
export function isLinearPattern(pattern: string): boolean {
  if (!pattern.startsWith("^") || pattern.length > 256) return false;
  const outline = pattern
    .slice(1)
    .replaceAll(/\\[^\dkpPux]/gu, "e")
    .replaceAll(/\[[^[\]]*\]/gu, "c")
    .replaceAll(/\{\d{1,3}\}/gu, "#")
    .replaceAll(/\{\d{1,6},\d{0,6}\}/gu, "*");
  return /^[^\\()|{}[\]*+?]*(?:[*+?][^#\\()|{}[\]*+?]{0,8})?$/u.test(outline);
}
