import { Type } from "typebox";
import { expect, test } from "vitest";
import type { JsonSchema } from "../messages/tool.ts";
import { judgeSchema } from "./prepare-schema.ts";
import { createSchemaChecker, whyUnchecked } from "./schema-checker.ts";

const leaf = Type.Object({ name: Type.String(), next: Type.Optional(Type.Ref("Leaf")) });

/** Each of them wants strings called `name` all the way down `next`. */
test.for<[name: string, schema: JsonSchema]>([
  ["TypeBox Cyclic", JSON.parse(JSON.stringify(Type.Cyclic({ Leaf: leaf }, "Leaf")))],
  ["TypeBox Recursive", { $id: "T0", properties: { name: { type: "string" }, next: { $ref: "T0" } } }],
  ["an address and a pointer", { $id: "https://example.com/a", $ref: "https://example.com/a#/$defs/n", $defs: list() }],
  ["an address below another", { $ref: "b/c", $defs: { x: { $id: "b/", $defs: { y: chain("c", "c") } } } }],
  ["a URN", { $id: "urn:uuid:1", $ref: "urn:uuid:1#/$defs/n", $defs: list("urn:uuid:1#/$defs/n") }],
  ["an old anchor", { $ref: "#n", definitions: { n: chain("#n", "#n") } }],
  ["a dynamic anchor", { $dynamicAnchor: "n", ...chain(undefined, undefined), allOf: [dynamicNext()] }],
])("references inside one document are followed: %s", async ([, schema]) => {
  const checker = createSchemaChecker();
  expect(await checker.check(schema, { name: "a", next: { name: "b", next: { name: "c" } } })).toEqual({ ok: true });
  expect(await checker.check(schema, { name: "a", next: { name: "b", next: { name: 3 } } })).toMatchObject({
    ok: false,
    message: expect.stringContaining("next.next.name: expected string, got number"),
  });
  expect(whyUnchecked(schema)).toBeUndefined();
  expect(judgeSchema(schema)).toEqual({ ok: true });
});

test("of two parts with the same address the one around the reference is meant", async () => {
  const part = (type: string) => ({ $id: "T0", properties: { value: { type }, next: { $ref: "T0" } } });
  const schema = { properties: { texts: part("string"), numbers: part("number") } };
  const checker = createSchemaChecker();
  const value = { texts: { value: "a", next: { value: "b" } }, numbers: { value: 1, next: { value: 2 } } };
  expect(await checker.check(schema, value)).toEqual({ ok: true });
  expect(await checker.check(schema, { numbers: { next: { value: "b" } } })).toEqual({
    ok: false,
    message: "numbers.next.value: expected number, got string",
  });
});

test("a dynamic reference means what the outermost resource says", async () => {
  const tree = {
    $id: "tree",
    $dynamicAnchor: "node",
    type: "object",
    properties: { children: { type: "array", items: { $dynamicRef: "#node" } } },
  };
  const strict = { $id: "strict", $dynamicAnchor: "node", $ref: "tree", unevaluatedProperties: false };
  const $defs = { tree, strict };
  const checker = createSchemaChecker();
  const misspelt = { children: [{ childern: [] }] };
  const schema = { properties: { loose: { $ref: "tree" }, close: { $ref: "strict" } }, $defs };
  expect(await checker.check(schema, { loose: misspelt, close: { children: [{}] } })).toEqual({ ok: true });
  expect(await checker.check(schema, { close: misspelt })).toMatchObject({ ok: false });
});

test("an address or anchor inside a value or an unknown word is none", async () => {
  const checker = createSchemaChecker();
  const values = { enum: [{ $id: "a", $anchor: "b", type: "null" }], default: { $id: "a", $anchor: "b" } };
  const schema = { properties: { v: values, n: { $ref: "a" } }, "x-extra": { $id: "a" } };
  expect(await checker.check(schema, { n: 1 })).toEqual({ ok: true });
  expect(whyUnchecked(schema)).toBe(`the schema refers to another document at "#/properties/n/$ref"`);
  expect(judgeSchema({ properties: { v: values, n: { $ref: "#b" } } })).toMatchObject({
    reason: `the schema has an invalid value of "$ref" at "#/properties/n/$ref"`,
  });
});

function chain($id: string | undefined, $ref: string | undefined): JsonSchema {
  const next = $ref === undefined ? {} : { next: { $ref } };
  return { ...($id === undefined ? {} : { $id }), properties: { name: { type: "string" }, ...next } };
}

function dynamicNext(): JsonSchema {
  return { properties: { next: { $dynamicRef: "#n" } } };
}

function list($ref = "#/$defs/n"): JsonSchema {
  return { n: { properties: { name: { type: "string" }, next: { $ref } } } };
}
