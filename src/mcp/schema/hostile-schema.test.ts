import { expect, test } from "vitest";
import type { JsonSchema } from "../messages/tool.ts";
import { judgeSchema } from "./prepare-schema.ts";
import { createSchemaChecker, whyUnchecked } from "./schema-checker.ts";

const recursive = { $ref: "#/$defs/n", $defs: { n: { type: "object", properties: { n: { $ref: "#/$defs/n" } } } } };

test.for([1_000, 10_000, 200_000])("a value %i deep is refused, with or without the validator", async (depth) => {
  const checker = createSchemaChecker();
  const deep = nest(depth, "n");
  const tooDeep = { ok: false, message: "is too deep to be checked", unchecked: true };
  expect(await checker.check(recursive, deep)).toEqual(tooDeep);
  expect(await checker.check({ type: "object" }, deep)).toEqual(tooDeep);
  expect(await checker.check({ properties: { n: {} } }, deep)).toEqual(tooDeep);
  expect(await checker.check(recursive, nest(60, "n"))).toEqual({ ok: true });
});

test.for<[name: string, reason: RegExp, schema: JsonSchema]>([
  ["nested 500 deep", /too deep/, nest(500, "not")],
  ["nested 100,000 deep", /too deep/, nest(100_000, "properties")],
  ["of 200,000 listed values", /too large/, { enum: Array.from({ length: 200_000 }, (_, index) => `v${index}`) }],
  ["that refers to itself", /without end/, { $ref: "#" }],
  ["that refers to itself in two steps", /without end/, { $ref: "#/$defs/a", $defs: chain("#/$defs/a", "#/$defs/b") }],
  [
    "that refers to itself inside a field",
    /without end/,
    { properties: { a: { allOf: [{ $ref: "#/properties/a" }] } } },
  ],
  ["whose references double 26 times", /multiply/, doubling(26)],
  ["whose references double 2,000 times", /multiply/, doubling(2_000)],
  ["that refers to the network", /another document at "#\/properties\/a\/\$ref"/, remote("https://example.com/s.json")],
  ["that refers to a file", /another document/, remote("file:///etc/passwd")],
  ["that refers to a neighbour", /another document/, remote("other.json#/a")],
  ["that refers to a neighbour of a part", /another document/, neighbour()],
  ["whose dynamic references multiply", /multiply/, dynamicallyMultiplying(16)],
  ["whose dynamic anchors multiply", /multiply/, manyAnchors(60, 60)],
])("a schema %s checks nothing, says why, and is not fit to be registered", async ([, reason, schema]) => {
  const told: string[] = [];
  const checker = createSchemaChecker({ onOdd: (_, why) => told.push(why) });
  expect(await checker.check(schema, { a: "text" })).toEqual({ ok: true });
  expect(await checker.check(schema, {})).toEqual({ ok: true });
  expect(whyUnchecked(schema)).toMatch(reason);
  expect(told).toEqual([expect.stringMatching(reason)]);
  expect(judgeSchema(schema)).toEqual({ ok: false, reason: expect.stringMatching(reason) });
});

test.for([
  ["^(a+)+$", `${"a".repeat(40)}b`],
  ["^(a|a)*$", `${"a".repeat(40)}b`],
  ["^a*a*a*a*a*a*a*a*b$", "a".repeat(2_000)],
  ["^(\\w+\\s?)*$", `${"a".repeat(60)}!`],
  ["^(?=(a+)+$)a", `${"a".repeat(40)}b`],
  ["^((a{0,200}){0,200}){0,200}$", `${"a".repeat(300)}b`],
])("the pattern %s is stopped, and the schema checks nothing from then on", async ([pattern, text]) => {
  const told: string[] = [];
  const checker = createSchemaChecker({ onOdd: (_, why) => told.push(why) });
  for (const schema of [{ properties: { a: { pattern } } }, { propertyNames: { pattern } }]) {
    const hostile = "a" in (schema.properties ?? {}) ? { a: text } : { [String(text)]: 1 };
    await untilUnchecked(schema, () => checker.check(schema, hostile));
    expect(await checker.check(schema, hostile)).toEqual({ ok: true });
  }
  expect(told).toHaveLength(2);
});

test("addresses that are long, and of many parts, are not put together", async () => {
  const $id = `https://example.com/${"x/".repeat(50_000)}`;
  const properties = Object.fromEntries(Array.from({ length: 2000 }, (_, at) => [`p${at}`, { $id: `a${at}` }]));
  const before = process.cpuUsage();
  expect(await createSchemaChecker().check({ $id, properties }, {})).toEqual({ ok: true });
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1000).toBeLessThan(1000);
});

test("a part with an address that is too long still refers to itself, and nothing else reaches it", async () => {
  const $id = `https://example.com/${"x".repeat(3000)}`;
  const own = { $id, $ref: "#/$defs/n", $defs: { n: { type: "number" } } };
  const checker = createSchemaChecker();
  const schema = { properties: { a: own }, $defs: { n: { type: "string" } } };
  expect(await checker.check(schema, { a: 1 })).toEqual({ ok: true });
  expect(await checker.check(schema, { a: "text" })).toMatchObject({ ok: false });
  const outside = { properties: { a: own, b: { $ref: $id } } };
  expect(await checker.check(outside, { a: 1, b: "text" })).toEqual({ ok: true });
  expect(whyUnchecked(outside)).toMatch("another document");
});

test("references that double with every level of the value are stopped", async () => {
  const levels = Object.fromEntries(
    Array.from({ length: 40 }, (_, level) => {
      const next = { $ref: `#/$defs/l${level + 1}` };
      return [`l${level}`, { properties: { n: { allOf: [next, next] } } }];
    }),
  );
  const checker = createSchemaChecker();
  const schema = { $ref: "#/$defs/l0", $defs: { ...levels, l40: {} } };
  await untilUnchecked(schema, () => checker.check(schema, nest(50, "n")));
  expect(whyUnchecked(schema)).toBe("checking against it takes too long");
});

test("a large value that takes too long is refused alone: its schema stays usable", async () => {
  const checker = createSchemaChecker({ milliseconds: 20 });
  const schema = { properties: { a: { uniqueItems: true } } };
  const items = Array.from({ length: 20_000 }, (_, id) => ({ id }));
  await expect
    .poll(() => checker.check(schema, { a: items }))
    .toMatchObject({ message: "is too large to be checked in time" });
  await expect
    .poll(() => checker.check(schema, { a: [1, 1] }))
    .toMatchObject({ message: "a: must not have the same item twice" });
});

test("many alternatives times many items is stopped too, though no keyword of it is risky", async () => {
  const checker = createSchemaChecker({ milliseconds: 20 });
  const oneOf = Array.from({ length: 5_000 }, (_, id) => ({ const: `c${id}` }));
  const schema = { items: { oneOf } };
  const items = Array.from({ length: 20_000 }, () => "c0");
  await expect
    .poll(() => checker.check(schema, items))
    .toMatchObject({ message: "is too large to be checked in time" });
});

test("long lists of honest values are checked without the validator", () => {
  const checker = createSchemaChecker();
  const values = Array.from({ length: 15_000 }, (_, index) => `v${index}`);
  const schema = { type: "array", items: { enum: values } };
  expect(checker.check(schema, [...values, ...values])).toEqual({ ok: true });
  expect(checker.check(schema, [...values, "no"])).toMatchObject({
    message: expect.stringMatching(/^\[15000\]: expected one of/),
  });
});

test("a value with more parts than the bound is refused where the validator is needed", async () => {
  const checker = createSchemaChecker({ value: { depth: 64, nodes: 1_000 } });
  const value = Array.from({ length: 1_001 }, () => 1);
  expect(await checker.check({ not: { type: "string" } }, value)).toMatchObject({
    message: "is too large to be checked",
  });
});

test("a value that makes the validator throw is refused", async () => {
  const checker = createSchemaChecker();
  const schema = { additionalProperties: { not: { type: "string" } } };
  expect(await checker.check(schema, { "\ud800": 1 })).toMatchObject({
    message: "has content that can't be checked",
  });
  expect(await checker.check(schema, { a: undefined })).toMatchObject({
    message: "has content that can't be checked",
  });
});

test("no code is run and nothing is written to prototypes, whatever the names and values hold", async () => {
  const evil = "`${globalThis.ran = 1}`'\"*/globalThis.ran=1//\n\u2028";
  const schema = JSON.parse(
    JSON.stringify({
      properties: { [evil]: { const: evil }, p: { enum: [evil] } },
      required: [evil],
      not: { const: evil },
    }),
  );
  const polluting = JSON.parse('{"__proto__": {"polluted": 1}, "constructor": {"prototype": {"polluted": 1}}}');
  expect(await createSchemaChecker().check(schema, { [evil]: evil, ...polluting })).toEqual({ ok: true });
  expect(
    await createSchemaChecker().check(JSON.parse('{"properties": {"__proto__": {"not": {}}}}'), polluting),
  ).toMatchObject({
    ok: false,
  });
  expect("ran" in globalThis).toBe(false);
  expect("polluted" in {}).toBe(false);
});

test("a sound schema is fit to be registered, an odd one says where", () => {
  expect(judgeSchema({ $id: "https://example.com/root", type: "object", format: 7, title: {} })).toEqual({ ok: true });
  expect(judgeSchema(recursive)).toEqual({ ok: true });
  for (const none of [null, [], "x", true, undefined]) {
    expect(judgeSchema(none)).toEqual({ ok: false, reason: "the schema is not an object" });
  }
  expect(judgeSchema({ properties: { a: { type: "banana" } } })).toEqual({
    ok: false,
    reason: `the schema has an invalid value of "type" at "#/properties/a/type"`,
  });
});

/** On a busy machine a check can run out of time without having had any; that alone never disables a schema. */
async function untilUnchecked(schema: JsonSchema, check: () => unknown): Promise<void> {
  const checked = async () => [await check(), whyUnchecked(schema)];
  await expect.poll(checked, { timeout: 15_000 }).toEqual([{ ok: true }, "checking against it takes too long"]);
}

function nest(depth: number, key: string): Record<string, unknown> {
  let value: Record<string, unknown> = {};
  for (let level = 0; level < depth; level++) value = { [key]: value };
  return value;
}

function chain(a: string, b: string): JsonSchema {
  return { a: { $ref: b }, b: { $ref: a } };
}

function remote($ref: string): JsonSchema {
  return { properties: { a: { $ref } } };
}

function doubling(levels: number): JsonSchema {
  const $defs: Record<string, JsonSchema> = { [`d${levels}`]: { type: "object" } };
  for (let level = 0; level < levels; level++) {
    const next = { $ref: `#/$defs/d${level + 1}` };
    $defs[`d${level}`] = { allOf: [next, next] };
  }
  return { $ref: "#/$defs/d0", $defs };
}

function neighbour(): JsonSchema {
  return { properties: { a: { $id: "https://example.com/a/", properties: { b: { $ref: "b" } } } } };
}

/** Every way through the resources is a scope of its own: two to the power of their number. */
function dynamicallyMultiplying(resources: number): JsonSchema {
  const $defs: Record<string, JsonSchema> = {};
  for (let index = 0; index < resources; index++) {
    for (const side of ["a", "b"]) {
      const next = ["a", "b"].map((other) => ({ $ref: `${other}${index + 1}` }));
      const anchored = { [`s${index}`]: { $dynamicAnchor: `n${index}` } };
      $defs[`${side}${index}`] = { $id: `${side}${index}`, properties: { x: { anyOf: next } }, $defs: anchored };
    }
  }
  for (const side of ["a", "b"]) $defs[`${side}${resources}`] = { $id: `${side}${resources}`, $dynamicRef: "#n0" };
  return { anyOf: [{ $ref: "a0" }, { $ref: "b0" }], $defs };
}

/** Resources with anchors of their own, which can be entered in any order. */
function manyAnchors(resources: number, anchors: number): JsonSchema {
  const ids = Array.from({ length: resources }, (_, index) => `r${index}`);
  const $defs = Object.fromEntries(
    ids.map((id) => {
      const own = Array.from({ length: anchors }, (_, index) => [`a${index}`, { $dynamicAnchor: `${id}-${index}` }]);
      const properties = Object.fromEntries(ids.map((other) => [other, { $ref: other }]));
      return [id, { $id: id, properties, $defs: Object.fromEntries(own) }];
    }),
  );
  return { $ref: "r0", properties: { x: { $dynamicRef: "#r0-0" } }, $defs };
}
