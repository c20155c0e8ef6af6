import * as fc from "fast-check";
import { Type } from "typebox";
import { Check } from "typebox/value";
import { expect, test } from "vitest";
import { type CheckedSchema, checkValue } from "./check-value.ts";
import { pathKey } from "./config-path.ts";
import { configSchema } from "./config-schema.ts";

const nothing = new Set<string>();

test("a value that fits comes back with its defaults filled in, at every depth", () => {
  const inner = Type.Object({ b: Type.Integer({ default: 2 }) }, { default: {} });
  const schema = Type.Object({ a: inner, list: Type.Array(inner), by: Type.Record(Type.String(), inner) });
  const { value, findings } = checkValue(schema, { list: [{}, { b: 3 }], by: { x: {} } }, nothing);
  expect(findings).toEqual([]);
  expect(value).toEqual({ a: { b: 2 }, list: [{ b: 2 }, { b: 3 }], by: { x: { b: 2 } } });
});

test("two values never share a default", () => {
  const schema = Type.Object({ list: Type.Array(Type.String(), { default: [] }) });
  const [a, b] = [checkValue(schema, {}, nothing).value, checkValue(schema, {}, nothing).value];
  (a as { list: string[] }).list.push("mine");
  expect(b).toEqual({ list: [] });
});

test("every problem is reported at once", () => {
  const schema = Type.Object(
    { name: Type.String({ minLength: 1 }), port: Type.Integer({ maximum: 9 }), mode: Type.Enum(["on", "off"]) },
    { additionalProperties: false },
  );
  const { findings } = checkValue(schema, { nam: "x", port: 10, mode: "onn", stranger: [] }, nothing);
  expect(findings).toEqual([
    { path: ["name"], message: "is missing" },
    { path: ["nam"], message: "is not a known setting", suggestion: "name" },
    { path: ["port"], message: "must be at most 9, but is 10" },
    { path: ["mode"], message: 'must be one of "on", "off"', suggestion: "on" },
    { path: ["stranger"], message: "is not a known setting" },
  ]);
});

test("text from the environment may stand for a number or a flag, other text may not", () => {
  const schema = Type.Object({ n: Type.Integer(), m: Type.Integer(), flag: Type.Boolean() });
  const touched = new Set([pathKey(["n"]), pathKey(["flag"])]);
  const { value, findings } = checkValue(schema, { n: "12", m: "12", flag: "true" }, touched);
  expect(value).toEqual({ n: 12, m: "12", flag: true });
  expect(findings).toEqual([{ path: ["m"], message: "must be a whole number, but is a string" }]);
});

test("one of several kinds of values is enough, and a value of none names them all", () => {
  const limit = Type.Union([Type.Integer({ minimum: 10, maximum: 99 }), Type.Enum(["off"])]);
  const schema = Type.Object({ limit });
  for (const right of [10, "off"]) expect(checkValue(schema, { limit: right }, nothing).findings).toEqual([]);
  const touched = new Set([pathKey(["limit"])]);
  expect(checkValue(schema, { limit: "12" }, touched)).toEqual({ value: { limit: 12 }, findings: [] });
  for (const wrong of [9, "on", null, {}])
    expect(checkValue(schema, { limit: wrong }, nothing).findings).toEqual([
      { path: ["limit"], message: 'must be a whole number from 10 to 99 or "off"' },
    ]);
});

test("a wrong value is not shown, for it may be a secret", () => {
  const { findings } = checkValue(Type.Object({ n: Type.Integer() }), { n: "hunter2" }, nothing);
  expect(JSON.stringify(findings)).not.toContain("hunter2");
});

test("inherited names are not keys", () => {
  const schema = Type.Object({ a: Type.Optional(Type.String()) }, { additionalProperties: false });
  expect(checkValue(schema, { constructor: 1 }, nothing).findings).toHaveLength(1);
});

test("the configuration's schema uses no keyword that is not checked", () => {
  const known = `type enum properties required patternProperties additionalProperties items minimum maximum
    exclusiveMinimum minLength maxLength pattern default description anyOf`.split(/\s+/);
  const check = (schema: CheckedSchema): void => {
    expect(known).toEqual(expect.arrayContaining(Object.keys(schema)));
    expect([true, false, undefined]).toContain(schema.additionalProperties);
    for (const part of Object.values({ ...schema.properties, ...schema.patternProperties })) check(part);
    if (schema.items !== undefined) check(schema.items);
    schema.anyOf?.forEach(check);
  };
  check(configSchema);
});

/** A value for each keyword of the schema, often a wrong one. */
function valueFor(schema: CheckedSchema): fc.Arbitrary<unknown> {
  const wrong = fc.constantFrom<unknown>(null, true, 0, -1, 1.5, 70_000, "", "x", "debug", [], {}, Number.NaN);
  return fc.oneof({ weight: 1, arbitrary: wrong }, { weight: 12, arbitrary: rightFor(schema) });
}

function rightFor(schema: CheckedSchema): fc.Arbitrary<unknown> {
  if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map(rightFor));
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (schema.type === "array") return fc.array(valueFor(schema.items ?? {}), { maxLength: 2 });
  if (schema.type === "boolean") return fc.boolean();
  if (schema.type === "string") return fc.constantFrom("abc", "a.b-c", "a b");
  if (schema.type !== "object") return fc.constantFrom(1, 1024, 5000);
  const [record] = Object.values(schema.patternProperties ?? {});
  if (record !== undefined)
    return fc.dictionary(fc.constantFrom("a", "b c", "constructor"), valueFor(record), { maxKeys: 2 });
  const parts = Object.entries(schema.properties ?? {}).map(([key, part]) => [key, valueFor(part)] as const);
  return fc.record(Object.fromEntries([...parts, ["stranger", fc.constant(1)]]), {
    requiredKeys: (schema.required ?? []).slice(1),
  });
}

test("it finds something wrong exactly where TypeBox does, once the defaults are in", () => {
  let good = 0;
  fc.assert(
    fc.property(valueFor(configSchema), (given) => {
      const { value, findings } = checkValue(configSchema, given, nothing);
      expect(findings.length === 0).toBe(Check(configSchema, value));
      if (findings.length === 0) good++;
    }),
    // By chance alone hardly a configuration of so many fields is right everywhere.
    { numRuns: 500, examples: right.map((value): [unknown] => [value]) },
  );
  expect(good).toBeGreaterThanOrEqual(right.length);
});

const right: readonly object[] = [
  {},
  { hub: { port: 9000 }, log: { level: "debug" }, catalog: { exclude: ["a*"] } },
  { servers: { a: { url: "https://a.example/mcp" }, b: { command: "x", args: ["y"], enabled: false } } },
  { policy: { preset: "strict", rules: [{ tool: "a__*", verdict: "ask" }], limits: [{ calls: 1, seconds: 2 }] } },
];
