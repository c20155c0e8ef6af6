import { isRecord } from "../../core/is-record.ts";
import type { JsonSchema } from "../../mcp/messages/tool.ts";
import { indexDocument, type SchemaDocument } from "../../mcp/schema/schema-document.ts";

/** All schemas that may apply to a value: its own, and those it refers to, as a flat list. */
export type Shapes = readonly JsonSchema[];

const deepest = 8;
const maxShapes = 500;

/** Each schema once: those that refer to each other would otherwise make more of them than anyone can wait for. */
export function shapesOf(schema: unknown, root: JsonSchema): Shapes {
  const found = new Set<JsonSchema>();
  collect(schema, 0);
  return [...found];

  function collect(each: unknown, depth: number): void {
    if (!isRecord(each) || depth > deepest || found.has(each) || found.size >= maxShapes) return;
    found.add(each);
    const { $ref, allOf, anyOf, oneOf } = each;
    if (typeof $ref === "string") collect(resolve($ref, each, root), depth + 1);
    for (const list of [allOf, anyOf, oneOf])
      if (Array.isArray(list)) for (const inside of list as unknown[]) collect(inside, depth + 1);
  }
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

const documents = new WeakMap<JsonSchema, SchemaDocument>();

function resolve(reference: string, from: JsonSchema, root: JsonSchema): unknown {
  const document = documents.get(root) ?? indexDocument(root);
  documents.set(root, document);
  const found = document.find(reference, document.resourceOf(from) ?? document.main);
  return typeof found === "object" ? found.schema : undefined;
}
