import { isRecord } from "../../core/is-record.ts";
import { quoteName } from "./explain-value.ts";
import { measureValue, schemaBounds, type ValueBounds } from "./measure-value.ts";
import {
  isNames,
  isPattern,
  type Keyword,
  schemaKeywords,
  type SchemaNode,
  type SubSchema,
  type Targets,
} from "./schema-keywords.ts";
import { createTargetFinder, judgeReferences } from "./schema-references.ts";

export interface PreparedSchema {
  readonly root: SubSchema;
  readonly targets: Targets;
  /** The number of keywords and listed values. Without risky keywords a check visits each at most once per value. */
  readonly size: number;
  /** Whether a check may take far longer than the sizes of schema and value suggest. */
  readonly risky: boolean;
  /** The parts that were left out because they can't be checked. */
  readonly odd: readonly string[];
}

export interface HostileSchema {
  readonly hostile: string;
}

type Source = Readonly<Record<string, unknown>>;

const riskyKeywords: ReadonlySet<string> = new Set([
  "$ref",
  "$dynamicRef",
  "pattern",
  "patternProperties",
  "uniqueItems",
]);

const mostOddities = 10;

/**
 * Makes a copy of the schema that is safe for a validator: bounded, with references resolved within the document, and
 * with checked keywords only. Odd parts are left out and reported. A part that could hang or exhaust the process makes
 * the whole schema hostile.
 */
export function prepareSchema(schema: Source, bounds: ValueBounds): PreparedSchema | HostileSchema {
  const measured = measureValue(schema, bounds);
  if (typeof measured === "string") return { hostile: `the schema is ${measured}` };

  const findTarget = createTargetFinder(schema);
  const copies = new Map<Source, SchemaNode>();
  const waiting: { source: Source; copy: SchemaNode; where: string }[] = [];
  const names = new Map<string, string>();
  const targets: Record<string, SubSchema> = Object.create(null);
  const found = { odd: [] as string[], hostile: [] as string[], size: 0, risky: false };

  function report(where: string, what: string): void {
    if (found.odd.length < mostOddities) found.odd.push(`${what} at ${quoteName(where)}`);
  }

  function copySchema(source: unknown, where: string): SubSchema {
    found.size++;
    if (typeof source === "boolean") return source;
    if (!isRecord(source)) {
      report(where, "something other than a schema");
      return true;
    }
    const known = copies.get(source);
    if (known !== undefined) return known;
    const copy: SchemaNode = {};
    copies.set(source, copy);
    waiting.push({ source, copy, where });
    return copy;
  }

  function copyMap(sources: Source, where: string, word: string): Source {
    const map: Record<string, unknown> = Object.create(null);
    for (const [name, source] of Object.entries(sources)) {
      if (word === "patternProperties" && !isPattern(name)) report(`${where}/${name}`, "an invalid pattern");
      else if (word === "dependencies" && isNames(source)) map[name] = source;
      else map[name] = copySchema(source, `${where}/${name}`);
    }
    return map;
  }

  function nameTarget(reference: unknown, where: string): string | undefined {
    if (typeof reference !== "string") return undefined;
    if (reference !== "" && !reference.startsWith("#")) {
      found.hostile.push(`the schema refers to another document at ${quoteName(where)}`);
      return undefined;
    }
    const known = names.get(reference);
    if (known !== undefined) return known;
    const target = findTarget(reference);
    if (target === undefined) return undefined;
    const name = String(names.size);
    names.set(reference, name);
    targets[name] = copySchema(target, reference);
    return name;
  }

  function copyValue({ shape, fits }: Keyword, word: string, value: unknown, where: string): unknown {
    switch (shape) {
      case "reference":
        return nameTarget(value, where);
      case "schema":
        return copySchema(value, where);
      case "schema or schemas":
        if (!Array.isArray(value)) return copySchema(value, where);
        return value.map((source, index) => copySchema(source, `${where}/${index}`));
      case "schemas":
        if (!Array.isArray(value) || value.length === 0) return undefined;
        return value.map((source, index) => copySchema(source, `${where}/${index}`));
      case "schema map":
      case "needs map":
        return isRecord(value) ? copyMap(value, where, word) : undefined;
      case "data":
        if (Array.isArray(value)) found.size += value.length;
        if (word === "const" ? isObject(value) : word === "enum" && hasObjects(value)) found.risky = true;
        return fits(value) ? value : undefined;
    }
  }

  const root = copySchema(schema, "#");
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { source, copy, where } = next;
    if (source !== schema && typeof source["$id"] === "string") {
      found.hostile.push(`the schema changes its own address at ${quoteName(where)}`);
    }
    const written: Record<string, unknown> = {};
    for (const word of Object.keys(source)) {
      const keyword = schemaKeywords.get(word);
      if (keyword === undefined) continue;
      found.size++;
      if (riskyKeywords.has(word)) found.risky = true;
      const value = copyValue(keyword, word, source[word], `${where}/${word}`);
      if (value === undefined) report(`${where}/${word}`, `an invalid value of ${quoteName(word)}`);
      else written[word] = value;
    }
    Object.assign(copy, joinReferences(written));
    if (found.hostile[0] !== undefined) return { hostile: found.hostile[0] };
  }

  const runaway = judgeReferences(copies.values(), targets);
  if (runaway !== undefined) return { hostile: runaway };
  return { root, targets, size: found.size, risky: found.risky, odd: found.odd };
}

/** In a document that is one schema resource, `$dynamicRef` is a plain reference. */
function joinReferences({ $dynamicRef, ...rest }: Record<string, unknown>): Record<string, unknown> {
  if ($dynamicRef === undefined) return rest;
  if (rest["$ref"] === undefined) return { ...rest, $ref: $dynamicRef };
  const allOf = Array.isArray(rest["allOf"]) ? rest["allOf"] : [];
  return { ...rest, allOf: [...allOf, { $ref: $dynamicRef }] };
}

function hasObjects(value: unknown): boolean {
  return Array.isArray(value) && value.some(isObject);
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}

type SchemaJudgement = { readonly ok: true } | { readonly ok: false; readonly reason: string };

/**
 * Whether a schema may be registered: an object within bounds, with references only to itself and a valid value for
 * every keyword. Stricter than checking, which ignores odd parts, because here its author can still fix it.
 */
export function judgeSchema(schema: unknown): SchemaJudgement {
  if (!isRecord(schema)) return { ok: false, reason: "the schema is not an object" };
  const prepared = prepareSchema(schema, schemaBounds);
  if ("hostile" in prepared) return { ok: false, reason: prepared.hostile };
  return prepared.odd.length === 0 ? { ok: true } : { ok: false, reason: `the schema has ${prepared.odd.join("; ")}` };
}
