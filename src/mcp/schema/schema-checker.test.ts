import { expect, test } from "vitest";
import type { JsonSchema } from "../messages/tool.ts";
import { createSchemaChecker, type SchemaVerdict } from "./schema-checker.ts";

const fine: SchemaVerdict = { ok: true };

const search: JsonSchema = {
  type: "object",
  properties: {
    query: { type: "string", minLength: 2, maxLength: 5 },
    limit: { type: "integer", minimum: 1, maximum: 100 },
    size: { type: "string", enum: ["small", "large"] },
    tags: { type: "array", items: { type: "string" }, maxItems: 2 },
    filter: { type: "object", properties: { after: { type: ["string", "null"] } }, required: ["after"] },
    id: { type: "string", pattern: "^[a-z]+$" },
    maybe: { anyOf: [{ type: "number", exclusiveMinimum: 0 }, { type: "null" }] },
  },
  required: ["query"],
  additionalProperties: false,
};

test.for<[message: string, args: unknown]>([
  ["expected object, got array", []],
  ["expected object, got nothing", undefined],
  ['missing field "query"', {}],
  ["query: expected string, got null", { query: null }],
  ["query: must be at least 2 characters long", { query: "😀" }],
  ["query: must be at most 5 characters long", { query: "secret" }],
  ["limit: expected integer, got string", { query: "ab", limit: "3" }],
  ["limit: expected integer, got number", { query: "ab", limit: 1.5 }],
  ["limit: must be at least 1", { query: "ab", limit: 0 }],
  ["limit: must be at most 100", { query: "ab", limit: 101 }],
  ['size: expected one of "small", "large"', { query: "ab", size: "secret" }],
  ["tags[1]: expected string, got boolean", { query: "ab", tags: ["a", true] }],
  ["tags: must have at most 2 items", { query: "ab", tags: ["a", "b", "c"] }],
  ["filter.after: expected string or null, got number", { query: "ab", filter: { after: 1 } }],
  ['filter: missing field "after"', { query: "ab", filter: {} }],
  ['id: must match the pattern "^[a-z]+$"', { query: "ab", id: "SECRET" }],
  ["maybe: expected number or null, got string", { query: "ab", maybe: "secret" }],
  ["maybe: must be more than 0", { query: "ab", maybe: -1 }],
  ['unknown field "sise"; did you mean "size"?', { query: "ab", sise: "secret" }],
  ['unknown field "entirely different"', { query: "ab", "entirely different": "secret" }],
])("says: %s", ([message, args]) => {
  expect(createSchemaChecker().check(search, args)).toEqual({ ok: false, message });
});

test("accepts what fits, at once, and the same verdict comes for the same schema object every time", () => {
  const checker = createSchemaChecker();
  const args = { query: "abc", limit: 3, size: "small", tags: [], filter: { after: null }, id: "abc", maybe: null };
  expect(checker.check(search, args)).toEqual(fine);
  expect(checker.check(search, args)).toEqual(fine);
});

test("names three problems at most", () => {
  const verdict = createSchemaChecker().check(search, { query: 1, limit: "x", size: 2, tags: 3, filter: 4 });
  expect(verdict).toMatchObject({ message: expect.stringMatching(/^query: .*\nlimit: .*\nsize: [^\n]*$/) });
});

test("quotes and shortens names that came from outside", () => {
  const verdict = createSchemaChecker().check(search, { query: "ab", [`\u001b[2J${"x".repeat(100)}`]: 1 });
  expect(verdict).toMatchObject({ message: `unknown field "\\u001b[2J${"x".repeat(56)}…"` });
});

test("inherited names are neither present nor known", () => {
  const checker = createSchemaChecker();
  expect(checker.check({ required: ["toString"] }, {})).toEqual({ ok: false, message: 'missing field "toString"' });
  const closed = { properties: { a: {} }, additionalProperties: false };
  expect(checker.check(closed, { constructor: 1 })).toMatchObject({ ok: false });
  expect(checker.check(closed, JSON.parse('{"__proto__": 1}'))).toEqual({
    ok: false,
    message: 'unknown field "__proto__"',
  });
  const listed = JSON.parse('{"properties": {"__proto__": {"type": "string"}, "valueOf": {"type": "string"}}}');
  expect(checker.check(listed, {})).toEqual(fine);
  expect(checker.check(listed, JSON.parse('{"__proto__": 1}'))).toEqual({
    ok: false,
    message: "__proto__: expected string, got number",
  });
  expect(checker.check(JSON.parse('{"constructor": 1, "__proto__": {"type": "string"}}'), 5)).toEqual(fine);
});

test.for<[message: string, schema: JsonSchema, value: unknown]>([
  ["a: is not allowed", { allOf: [{ properties: { a: false } }] }, { a: 1 }],
  ["fits none of the 2 allowed forms", { oneOf: [{ required: ["a"] }, { required: ["b"] }] }, {}],
  [
    "fits more than one of the forms, but must fit exactly one",
    { oneOf: [{ required: ["a"] }, { required: ["b"] }] },
    { a: 1, b: 2 },
  ],
  ["n: must be a multiple of 0.1", { properties: { n: { multipleOf: 0.1 } } }, { n: 0.25 }],
  ["has a form that is not allowed", { not: { required: ["a"] } }, { a: 1 }],
  ['missing field "b", which "a" needs', { dependentRequired: { a: ["b"] } }, { a: 1 }],
  ['missing field "b", which "a" needs', { dependencies: { a: ["b"] } }, { a: 1 }],
  ['missing field "b"', { dependentSchemas: { a: { required: ["b"] } } }, { a: 1 }],
  ['field name "B" is not allowed', { propertyNames: { pattern: "^[a-z]" } }, { B: 1 }],
  ["x_1: expected string, got number", { patternProperties: { "^x_": { type: "string" } } }, { x_1: 1 }],
  ["must have at least 1 field", { minProperties: 1 }, {}],
  ["must have at most 1 field", { maxProperties: 1 }, { a: 1, b: 1 }],
  ["a: must not have the same item twice", { properties: { a: { uniqueItems: true } } }, { a: [{ b: 1 }, { b: 1 }] }],
  ["must have at least 1 item of a certain form", { contains: { type: "string" } }, [1]],
  ["must have at most 1 item of a certain form", { contains: { const: 1 }, maxContains: 1 }, [1, 1]],
  ["[1]: expected string, got number", { prefixItems: [{}, { type: "string" }] }, [1, 1]],
  ["[1]: expected string, got number", { items: [{}], additionalItems: { type: "string" } }, [1, 1]],
  ["a: expected object", { properties: { a: { const: { b: 1 } } } }, { a: { b: 2 } }],
  ['missing field "b"', JSON.parse('{"if": {"required": ["a"]}, "then": {"required": ["b"]}}'), { a: 1 }],
  ["does not fit the schema", { unevaluatedProperties: false, properties: { a: {} } }, { b: 1 }],
  ["n.n: expected object or null, got number", { $ref: "#/$defs/n", $defs: tree() }, { n: { n: 1 } }],
])("says of a schema that needs the validator: %s", async ([message, schema, value]) => {
  expect(await createSchemaChecker().check(schema, value)).toEqual({ ok: false, message });
});

test("references by pointer, by anchor, dynamic, and into words we don't know are followed", async () => {
  const checker = createSchemaChecker();
  const schema = {
    properties: {
      pointer: { $ref: "#/$defs/a~1b%20c" },
      anchor: { $ref: "#here" },
      dynamic: { $ref: "#/$defs/any", $dynamicRef: "#there" },
      elsewhere: { $ref: "#/components/schemas/Text" },
    },
    $defs: {
      "a/b c": { type: "string" },
      any: true,
      x: { $anchor: "here", type: "string" },
      y: { $dynamicAnchor: "there", type: "string" },
    },
    components: { schemas: { Text: { type: "string" } } },
  };
  for (const name of Object.keys(schema.properties)) {
    expect(await checker.check(schema, { [name]: "text" })).toEqual(fine);
    expect(await checker.check(schema, { [name]: 1 })).toEqual({
      ok: false,
      message: `${name}: expected string, got number`,
    });
  }
});

test("format is an annotation, and data that looks like a schema is left alone", async () => {
  const checker = createSchemaChecker();
  const schema = {
    properties: { format: { type: "string", format: "email" }, when: { format: "date-time", not: { const: 1 } } },
    const: { format: "never mail", when: "never a date", default: { format: 1 } },
  };
  expect(await checker.check(schema, structuredClone(schema.const))).toEqual(fine);
  expect(await checker.check(schema, { ...schema.const, format: 1 })).toMatchObject({ ok: false });
});

test("a schema that is merely odd stays usable, the rest of it counts, and it is told once", async () => {
  const told: string[] = [];
  const checker = createSchemaChecker({ onOdd: (_, reason) => told.push(reason) });
  const schema = {
    type: "banana",
    required: "name",
    minProperties: -1,
    anyOf: [],
    properties: { a: { type: "string", pattern: "([" }, b: 7, c: { $ref: "#/nowhere" }, d: { maxLength: "5" } },
    patternProperties: { "(?<": false },
  };
  expect(await checker.check(schema, { a: "x", b: 1, c: 1, d: "long enough" })).toEqual(fine);
  expect(await checker.check(schema, { a: 1 })).toMatchObject({ message: "a: expected string, got number" });
  expect(told).toHaveLength(1);
  for (const place of [
    "type",
    "required",
    "minProperties",
    "anyOf",
    "a/pattern",
    "properties/b",
    "c/$ref",
    "d/maxLength",
  ]) {
    expect(told[0]).toContain(`${place}"`);
  }
});

test.each([
  { not: { type: "banana" } },
  { oneOf: [{ type: "banana" }, { required: ["a"] }] },
  { if: { required: 7 }, else: false },
  { $ref: "#/nowhere", unevaluatedProperties: false },
  { patternProperties: { "(?<": {} }, additionalProperties: false },
])("leaving out an odd part never refuses what the schema may allow: %j", async (schema) => {
  const told: string[] = [];
  const checker = createSchemaChecker({ onOdd: (_, reason) => told.push(reason) });
  expect(await checker.check(schema, { a: 1 })).toEqual(fine);
  expect(told).toEqual([expect.stringMatching(/^the schema has an invalid /)]);
});

function tree() {
  return { n: { type: ["object", "null"], properties: { n: { $ref: "#/$defs/n" } } } };
}
