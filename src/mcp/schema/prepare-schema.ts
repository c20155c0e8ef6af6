import { isRecord } from "../../core/is-record.ts";
import { quoteName } from "./explain-value.ts";
import { measureValue, schemaBounds, type ValueBounds } from "./measure-value.ts";
import {
  isNames,
  isPattern,
  schemaKeywords,
  type Keyword,
  type SchemaNode,
  type SubSchema,
  type Targets,
} from "./schema-keywords.ts";
import { createScopes, followDynamically, type Scope } from "./dynamic-scope.ts";
import { indexDocument, type SchemaResource } from "./schema-document.ts";

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

/** A schema that no value is checked against, and why. */
export interface UncheckableSchema {
  readonly uncheckable: string;
}

type Source = Readonly<Record<string, unknown>>;

const riskyKeywords: ReadonlySet<string> = new Set([
  "$ref",
  "$dynamicRef",
  "pattern",
  "patternProperties",
  "uniqueItems",
]);

/** With one of these, leaving out another part can make a value fail that the whole schema allows. */
const refusingKeywords: ReadonlySet<string> = new Set([
  "not",
  "oneOf",
  "if",
  "unevaluatedItems",
  "unevaluatedProperties",
  "maxContains",
]);

const maxOddities = 10;
const multiplies = "the schema's references multiply without bound";

/** Where a part of the copy comes from. */
interface Origin {
  readonly where: string;
  readonly resource: SchemaResource;
  readonly scope: Scope;
}

/**
 * Makes a copy of the schema that is safe for a validator: bounded, with references resolved within the document, and
 * with checked keywords only. Odd parts are left out and reported, if that can't refuse what the schema allows. A part
 * that could hang or exhaust the process, or that is in another document, makes the whole schema uncheckable.
 */
export function prepareSchema(schema: Source, bounds: ValueBounds): PreparedSchema | UncheckableSchema {
  const measured = measureValue(schema, bounds);
  if (typeof measured === "string") return { uncheckable: `the schema is ${measured}` };

  const document = indexDocument(schema);
  const scopes = createScopes(document);
  const copies = new Map<Scope, Map<unknown, SchemaNode>>();
  const waiting: { source: Source; copy: SchemaNode; origin: Origin }[] = [];
  const nodes: SchemaNode[] = [];
  const names = new Map<SubSchema, string>();
  const targets: Record<string, SubSchema> = Object.create(null);
  const found = { odd: [] as string[], uncheckable: [] as string[], size: 0, risky: false, refusing: false };

  function report(where: string, what: string): void {
    if (found.odd.length < maxOddities) found.odd.push(`${what} at ${quoteName(where)}`);
  }

  function copySchema(source: unknown, from: Origin): SubSchema {
    found.size++;
    if (typeof source === "boolean") return source;
    if (!isRecord(source)) {
      report(from.where, "something other than a schema");
      return true;
    }
    const resource = document.resourceOf(source) ?? from.resource;
    const scope = scopes.enter(from.scope, resource);
    if (scope === undefined) {
      found.uncheckable.push(multiplies);
      return true;
    }
    const inScope = copies.get(scope) ?? new Map<unknown, SchemaNode>();
    copies.set(scope, inScope);
    const known = inScope.get(source);
    if (known !== undefined) return known;
    const copy: SchemaNode = {};
    inScope.set(source, copy);
    nodes.push(copy);
    if (nodes.length > bounds.nodes) found.uncheckable.push(multiplies);
    else waiting.push({ source, copy, origin: { where: from.where, resource, scope } });
    return copy;
  }

  function copyMap(sources: Source, from: Origin, word: string): Source {
    const map: Record<string, unknown> = Object.create(null);
    for (const [name, source] of Object.entries(sources)) {
      if (word === "patternProperties" && !isPattern(name)) report(`${from.where}/${name}`, "an invalid pattern");
      else if (word === "dependencies" && isNames(source)) map[name] = source;
      else map[name] = copySchema(source, below(from, name));
    }
    return map;
  }

  function nameTarget(reference: unknown, from: Origin, word: string): string | undefined {
    if (typeof reference !== "string") return undefined;
    const plain = document.find(reference, from.resource);
    if (plain === "elsewhere") {
      found.uncheckable.push(`the schema refers to another document at ${quoteName(from.where)}`);
      return undefined;
    }
    if (plain === undefined) return undefined;
    const place = word === "$dynamicRef" ? followDynamically(reference, plain, from.scope) : plain;
    const target = copySchema(place.schema, { where: reference, resource: place.resource, scope: from.scope });
    const name = names.get(target) ?? String(names.size);
    names.set(target, name);
    targets[name] = target;
    return name;
  }

  function copyValue({ shape, fits }: Keyword, word: string, value: unknown, from: Origin): unknown {
    switch (shape) {
      case "reference":
        return nameTarget(value, from, word);
      case "schema":
        return copySchema(value, from);
      case "schema or schemas":
        if (!Array.isArray(value)) return copySchema(value, from);
        return value.map((source, index) => copySchema(source, below(from, index)));
      case "schemas":
        if (!Array.isArray(value) || value.length === 0) return undefined;
        return value.map((source, index) => copySchema(source, below(from, index)));
      case "schema map":
      case "needs map":
        return isRecord(value) ? copyMap(value, from, word) : undefined;
      case "data":
        if (Array.isArray(value)) found.size += value.length;
        if (word === "const" ? isObject(value) : word === "enum" && hasObjects(value)) found.risky = true;
        return fits(value) ? value : undefined;
    }
  }

  const root = copySchema(schema, { where: "#", resource: document.main, scope: scopes.empty });
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { source, copy, origin } = next;
    const written: Record<string, unknown> = {};
    for (const word of Object.keys(source)) {
      const keyword = schemaKeywords.get(word);
      if (keyword === undefined) continue;
      found.size++;
      if (riskyKeywords.has(word)) found.risky = true;
      if (refusingKeywords.has(word)) found.refusing = true;
      // Without a pattern, the names that it means count as additional ones.
      if (word === "patternProperties" && source["additionalProperties"] !== undefined) found.refusing = true;
      const from = below(origin, word);
      const value = copyValue(keyword, word, source[word], from);
      if (value === undefined) report(from.where, `an invalid value of ${quoteName(word)}`);
      else written[word] = value;
    }
    Object.assign(copy, joinReferences(written));
    if (found.uncheckable[0] !== undefined) return { uncheckable: found.uncheckable[0] };
  }

  const runaway = judgeReferences(nodes, targets);
  if (runaway !== undefined) return { uncheckable: runaway };
  if (found.refusing && found.odd.length > 0) return { uncheckable: `the schema has ${found.odd.join("; ")}` };
  return { root, targets, size: found.size, risky: found.risky, odd: found.odd };
}

function below(from: Origin, step: string | number): Origin {
  return { ...from, where: `${from.where}/${step}` };
}

/** The targets of both are known by now, so that each is a plain reference. */
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
  if ("uncheckable" in prepared) return { ok: false, reason: prepared.uncheckable };
  return prepared.odd.length === 0 ? { ok: true } : { ok: false, reason: `the schema has ${prepared.odd.join("; ")}` };
}

/** No real schema applies more sub-schemas than this to a single value. */
const maxForOneValue = 100_000;

/**
 * Why a check could run away because of references, or undefined. Either a schema leads back to itself without
 * descending into the value, or so many paths lead to the same schema that one value is checked again and again.
 */
function judgeReferences(nodes: Iterable<SchemaNode>, targets: Targets): string | undefined {
  const unfinished = 0;
  const costs = new Map<SchemaNode, number>();
  for (const start of nodes) {
    const path = [start];
    for (let node = path.at(-1); node !== undefined; node = path.at(-1)) {
      const cost = costs.get(node);
      const parts = cost === undefined || cost === unfinished ? partsForSameValue(node, targets) : [];
      if (cost === undefined) {
        costs.set(node, unfinished);
        for (const part of parts) {
          if (costs.get(part) === unfinished) return "the schema refers to itself without end";
          if (!costs.has(part)) path.push(part);
        }
        continue;
      }
      path.pop();
      if (cost !== unfinished) continue;
      const total = parts.reduce((sum, part) => sum + (costs.get(part) ?? 0), 1);
      if (total > maxForOneValue) return "the schema's references multiply without bound";
      costs.set(node, total);
    }
  }
  return undefined;
}

/** The sub-schemas that apply to the same value as their parent. */
function partsForSameValue(node: SchemaNode, targets: Targets): SchemaNode[] {
  const { $ref, not, if: condition, then: consequence, else: alternative } = node;
  const parts: (SubSchema | readonly string[] | undefined)[] = [not, condition, consequence, alternative];
  if ($ref !== undefined) parts.push(targets[$ref]);
  for (const list of [node.allOf, node.anyOf, node.oneOf]) if (list !== undefined) parts.push(...list);
  for (const map of [node.dependentSchemas, node.dependencies])
    if (map !== undefined) parts.push(...Object.values(map));
  return parts.filter((part) => typeof part === "object" && !Array.isArray(part)) as SchemaNode[];
}
