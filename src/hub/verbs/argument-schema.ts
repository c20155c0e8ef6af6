import { isRecord } from "../../core/is-record.ts";
import type { JsonSchema } from "../../mcp/messages/tool.ts";

/** All schemas that may apply to a value: its own, and those it refers to, as a flat list. */
export type Shapes = readonly JsonSchema[];

const deepest = 8;

export function shapesOf(schema: unknown, root: JsonSchema, depth = 0): Shapes {
  if (!isRecord(schema) || depth > deepest) return [];
  const { $ref, allOf, anyOf, oneOf } = schema;
  const inside = [allOf, anyOf, oneOf].flatMap((list) => (Array.isArray(list) ? (list as unknown[]) : []));
  const referred = typeof $ref === "string" ? [resolve($ref, root)] : [];
  return [schema, ...[...referred, ...inside].flatMap((each) => shapesOf(each, root, depth + 1))];
}

export function typesOf(shapes: Shapes): ReadonlySet<string> {
  return new Set(shapes.flatMap(({ type }) => (Array.isArray(type) ? type.map(String) : ((type ?? []) as string[]))));
}

/** The schemas of one property; empty if there are none. */
export function propertyOf(shapes: Shapes, key: string, root: JsonSchema): Shapes {
  const named = shapes.flatMap(({ properties }) =>
    isRecord(properties) && Object.hasOwn(properties, key) ? [properties[key]] : [],
  );
  const others = named.length > 0 ? named : shapes.map(({ additionalProperties }) => additionalProperties);
  return others.flatMap((each) => shapesOf(each, root));
}

export function itemsOf(shapes: Shapes, root: JsonSchema): Shapes {
  return shapes.flatMap(({ items }) => shapesOf(items, root));
}

/** The allowed values, if they are listed. */
export function choicesOf(shapes: Shapes): readonly unknown[] {
  return shapes.flatMap((shape) => {
    if (Array.isArray(shape["enum"])) return shape["enum"] as unknown[];
    return "const" in shape ? [shape["const"]] : [];
  });
}

/** The known property names, and whether others are refused. */
export function keysOf(shapes: Shapes): { readonly names: readonly string[]; readonly closed: boolean } {
  const names = shapes.flatMap(({ properties }) => (isRecord(properties) ? Object.keys(properties) : []));
  const closed = shapes.some(({ additionalProperties }) => additionalProperties === false);
  return { names: [...new Set(names)], closed };
}

function resolve(reference: string, root: JsonSchema): unknown {
  if (reference === "#") return root;
  if (!reference.startsWith("#/")) return undefined;
  return reference
    .slice(2)
    .split("/")
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduce<unknown>((value, key) => (isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined), root);
}
