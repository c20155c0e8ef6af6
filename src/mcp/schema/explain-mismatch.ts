import { isRecord } from "../../core/is-record.ts";
import { nearestName } from "../../core/text/nearest-name.ts";
import {
  allowsKind,
  atPath,
  explainValue,
  type Fits,
  isList,
  kindOf,
  quoteName,
  type ValuePath,
} from "./explain-value.ts";
import type { SchemaNode, SubSchema, Targets } from "./schema-keywords.ts";

/** Three problems are enough to work on at once; more lines only fill the context of a model. */
const maxProblems = 3;

/**
 * Explains why a value does not fit: the field, what was expected, and the type of the value. Never the value itself,
 * which may be a secret. Empty if no single part is to blame.
 */
export function explainMismatch(root: SubSchema, value: unknown, targets: Targets, fits: Fits): readonly string[] {
  const problems = new Set<string>();

  function report(path: ValuePath, text: string): void {
    if (problems.size < maxProblems) problems.add(atPath(path, text));
  }

  function explainAt(schema: SubSchema | undefined, value: unknown, path: ValuePath): void {
    if (schema === undefined || schema === true || problems.size >= maxProblems) return;
    if (schema === false) return report(path, "is not allowed");
    if (schema.$ref !== undefined) explainAt(targets[schema.$ref], value, path);
    for (const part of schema.allOf ?? []) explainAt(part, value, path);
    for (const text of explainValue(schema, value, fits)) {
      report(path, text);
      if (problems.size >= maxProblems) return;
    }
    explainChoice(schema.anyOf, value, path, Infinity);
    explainChoice(schema.oneOf, value, path, 1);
    if (schema.if !== undefined) explainAt(fits(schema.if, value) ? schema.then : schema.else, value, path);
    if (Array.isArray(value)) explainItems(schema, value, path);
    else if (isRecord(value)) explainFields(schema, value, path);
  }

  function explainChoice(choices: SchemaNode["anyOf"], value: unknown, path: ValuePath, most: number): void {
    if (choices === undefined) return;
    const fitting = choices.filter((choice) => fits(choice, value)).length;
    if (fitting > most) return report(path, "fits more than one of the forms, but must fit exactly one");
    if (fitting > 0) return;
    const likely = choices.filter((choice) => allowsKind(typeOf(choice), value));
    if (likely.length === 1) return explainAt(likely[0], value, path);
    if (likely.length > 1) return report(path, `fits none of the ${choices.length} allowed forms`);
    const types = new Set(choices.flatMap((choice) => typeOf(choice) ?? []));
    report(path, `expected ${[...types].join(" or ")}, got ${kindOf(value)}`);
  }

  function typeOf(schema: SubSchema | undefined): SchemaNode["type"] {
    if (schema === undefined || typeof schema === "boolean") return schema === false ? [] : undefined;
    return schema.type ?? (schema.$ref === undefined ? undefined : typeOf(targets[schema.$ref]));
  }

  /** Most parts of a large value fit, and checking that is much faster than explaining. */
  function explainPart(schema: SubSchema | undefined, part: unknown, path: ValuePath, step: string | number): void {
    if (schema !== undefined && !fits(schema, part)) explainAt(schema, part, [...path, step]);
  }

  function explainItems(
    { items, prefixItems, additionalItems }: SchemaNode,
    value: readonly unknown[],
    path: ValuePath,
  ): void {
    const listed = isList(items) ? items : (prefixItems ?? []);
    const rest = isList(items) ? additionalItems : items;
    for (let index = 0; index < value.length && problems.size < maxProblems; index++) {
      explainPart(index < listed.length ? listed[index] : rest, value[index], path, index);
    }
  }

  function explainFields(schema: SchemaNode, value: Readonly<Record<string, unknown>>, path: ValuePath): void {
    const { properties = {}, patternProperties = {}, additionalProperties } = schema;
    const patterns = Object.entries(patternProperties).map(
      ([pattern, sub]) => [new RegExp(pattern, "u"), sub] as const,
    );
    for (const name of Object.keys(value)) {
      if (problems.size >= maxProblems) return;
      const subs = patterns.filter(([pattern]) => pattern.test(name)).map(([, sub]) => sub);
      const own = Object.hasOwn(properties, name) ? properties[name] : undefined;
      if (own !== undefined) subs.push(own);
      for (const sub of subs) explainPart(sub, value[name], path, name);
      if (subs.length > 0) continue;
      if (additionalProperties === false) report(path, unknownField(name, Object.keys(properties)));
      else explainPart(additionalProperties, value[name], path, name);
    }
    for (const [name, sub] of Object.entries({ ...schema.dependencies, ...schema.dependentSchemas })) {
      if (Object.hasOwn(value, name) && !isList(sub)) explainAt(sub, value, path);
    }
  }

  explainAt(root, value, []);
  return [...problems];
}

function unknownField(name: string, known: readonly string[]): string {
  // Both names are untrusted, and a comparison costs the product of their lengths.
  const near = nearestName(
    name,
    known.slice(0, 200).filter((other) => other.length <= 60),
  );
  return `unknown field ${quoteName(name)}${near === undefined ? "" : `; did you mean ${quoteName(near)}?`}`;
}
