import { isRecord } from "../../core/is-record.ts";
import { nearestName } from "../../core/nearest-name.ts";
import { allowsKind, atPath, explainValue, kindOf, quoteName, type ValuePath } from "./explain-value.ts";
import type { SchemaNode, SubSchema, Targets } from "./schema-keywords.ts";

/** A person mends three things at a time; more lines only cost a model its context. */
const mostProblems = 3;

/** Whether a value fits a sub-schema of the same copy. */
export type Fits = (schema: SubSchema, value: unknown) => boolean;

/**
 * Says what is wrong with a value that did not fit: the field, what was expected, what kind came. Never the value: it
 * may be a secret. Empty where no part can be blamed.
 */
export function explainMismatch(root: SubSchema, value: unknown, targets: Targets, fits: Fits): readonly string[] {
  const problems = new Set<string>();

  function say(place: ValuePath, text: string): void {
    if (problems.size < mostProblems) problems.add(atPath(place, text));
  }

  function blame(schema: SubSchema | undefined, value: unknown, place: ValuePath): void {
    if (schema === undefined || schema === true || problems.size >= mostProblems) return;
    if (schema === false) return say(place, "is not allowed");
    if (schema.$ref !== undefined) blame(targets[schema.$ref], value, place);
    for (const part of schema.allOf ?? []) blame(part, value, place);
    for (const text of explainValue(schema, value, fits)) {
      say(place, text);
      if (problems.size >= mostProblems) return;
    }
    blameChoice(schema.anyOf, value, place, Infinity);
    blameChoice(schema.oneOf, value, place, 1);
    if (schema.if !== undefined) blame(fits(schema.if, value) ? schema.then : schema.else, value, place);
    if (Array.isArray(value)) blameItems(schema, value, place);
    else if (isRecord(value)) blameFields(schema, value, place);
  }

  function blameChoice(choices: SchemaNode["anyOf"], value: unknown, place: ValuePath, most: number): void {
    if (choices === undefined) return;
    const fitting = choices.filter((choice) => fits(choice, value)).length;
    if (fitting > most) return say(place, "fits more than one of the forms of which one is allowed");
    if (fitting > 0) return;
    const likely = choices.filter((choice) => allowsKind(typeOf(choice), value));
    if (likely.length === 1) return blame(likely[0], value, place);
    if (likely.length > 1) return say(place, `fits none of the ${choices.length} allowed forms`);
    const types = new Set(choices.flatMap((choice) => typeOf(choice) ?? []));
    say(place, `expected ${[...types].join(" or ")}, got ${kindOf(value)}`);
  }

  function typeOf(schema: SubSchema | undefined): SchemaNode["type"] {
    if (schema === undefined || typeof schema === "boolean") return schema === false ? [] : undefined;
    return schema.type ?? (schema.$ref === undefined ? undefined : typeOf(targets[schema.$ref]));
  }

  /** Most parts of a large value are fine, and asking that is far quicker than looking for blame. */
  function blamePart(schema: SubSchema | undefined, part: unknown, place: ValuePath, step: string | number): void {
    if (schema !== undefined && !fits(schema, part)) blame(schema, part, [...place, step]);
  }

  function blameItems(
    { items, prefixItems, additionalItems }: SchemaNode,
    value: readonly unknown[],
    place: ValuePath,
  ): void {
    const listed = isList(items) ? items : (prefixItems ?? []);
    const rest = isList(items) ? additionalItems : items;
    for (let index = 0; index < value.length && problems.size < mostProblems; index++) {
      blamePart(index < listed.length ? listed[index] : rest, value[index], place, index);
    }
  }

  function blameFields(schema: SchemaNode, value: Readonly<Record<string, unknown>>, place: ValuePath): void {
    const { properties = {}, patternProperties = {}, additionalProperties } = schema;
    const patterns = Object.entries(patternProperties).map(
      ([pattern, sub]) => [new RegExp(pattern, "u"), sub] as const,
    );
    for (const name of Object.keys(value)) {
      if (problems.size >= mostProblems) return;
      const subs = patterns.filter(([pattern]) => pattern.test(name)).map(([, sub]) => sub);
      const own = Object.hasOwn(properties, name) ? properties[name] : undefined;
      if (own !== undefined) subs.push(own);
      for (const sub of subs) blamePart(sub, value[name], place, name);
      if (subs.length > 0) continue;
      if (additionalProperties === false) say(place, unknownField(name, Object.keys(properties)));
      else blamePart(additionalProperties, value[name], place, name);
    }
    for (const [name, sub] of Object.entries({ ...schema.dependencies, ...schema.dependentSchemas })) {
      if (Object.hasOwn(value, name) && !isList(sub)) blame(sub, value, place);
    }
  }

  blame(root, value, []);
  return [...problems];
}

function unknownField(name: string, known: readonly string[]): string {
  // Both sides come from outside, and comparing costs the product of their lengths.
  const near = nearestName(
    name,
    known.slice(0, 200).filter((other) => other.length <= 60),
  );
  return `unknown field ${quoteName(name)}${near === undefined ? "" : `; did you mean ${quoteName(near)}?`}`;
}

function isList<T>(value: SubSchema | readonly T[] | undefined): value is readonly T[] {
  return Array.isArray(value);
}
