import { Validator } from "@cfworker/json-schema";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { compilePlain, isLinearPattern } from "./compile-plain.ts";
import { explainMismatch } from "./explain-mismatch.ts";
import { schemaBounds } from "./measure-value.ts";
import { prepareSchema } from "./prepare-schema.ts";
import { createSchemaChecker } from "./schema-checker.ts";

type Schema = Readonly<Record<string, unknown>>;

const names = fc.constantFrom("a", "b", "toString", "__proto__");
const count = fc.integer({ min: 0, max: 3 });
const number = fc.constantFrom(-1, 0, 0.5, 1, 2, 3, 1e300);
const text = fc.constantFrom("", "a", "ab", "a-b", "😀", "\ud800", "12");
const primitive = fc.oneof(text, number, fc.boolean(), fc.constant(null));
const type = fc.constantFrom("string", "number", "integer", "boolean", "null", "array", "object");

/** Keys built this way are own properties, even `__proto__`, as they are in parsed JSON. */
const mapOf = <T>(values: fc.Arbitrary<T>) =>
  fc.array(fc.tuple(names, values), { maxLength: 3 }).map((entries) => Object.fromEntries(entries));

const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    primitive,
    fc.array(tie("value"), { maxLength: 3 }),
    mapOf(tie("value")),
  ),
}));

const limitWords = {
  type: fc.oneof(type, fc.array(type, { minLength: 1, maxLength: 3 })),
  enum: fc.array(primitive, { maxLength: 6 }),
  const: primitive,
  minLength: count,
  maxLength: count,
  pattern: fc.constantFrom("^a", "^[a-z]+$", "^\\d{2}$", "^a?$"),
  minimum: number,
  maximum: number,
  exclusiveMinimum: number,
  exclusiveMaximum: number,
  minItems: count,
  maxItems: count,
};
/** Two at a time: a value that fits more of them at once is too rare to be met by chance. */
const limits = fc
  .tuple(fc.record(limitWords), fc.subarray(Object.keys(limitWords), { minLength: 1, maxLength: 2 }))
  .map(([all, words]) => Object.fromEntries(Object.entries(all).filter(([word]) => words.includes(word))));

const { plain } = fc.letrec<{ plain: Schema | boolean }>((tie) => ({
  plain: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.boolean(),
    limits,
    fc.record({ type: fc.constant("array"), items: tie("plain") }),
    fc.record({ anyOf: fc.array(tie("plain"), { minLength: 1, maxLength: 3 }) }),
    fc.record(
      {
        type: fc.constant("object"),
        properties: mapOf(tie("plain")),
        required: fc.array(names, { maxLength: 2 }),
        additionalProperties: tie("plain"),
      },
      { requiredKeys: ["type", "properties"] },
    ),
  ),
}));

const root = fc.record(
  {
    properties: mapOf(plain),
    required: fc.array(names, { maxLength: 2 }),
    additionalProperties: plain,
    anyOf: fc.tuple(plain),
  },
  { requiredKeys: ["properties"] },
);

test("the quick check of a plain schema agrees with the validator, and what it refuses it can explain", () => {
  const verdicts = { accepted: 0, refused: 0 };
  fc.assert(
    fc.property(root, mapOf(value), (schema, instance) => {
      const prepared = prepareSchema(schema, schemaBounds);
      if ("uncheckable" in prepared) throw new Error(prepared.uncheckable);
      const accepts = compilePlain(prepared, 64);
      if (accepts === undefined) return;
      const expected = isValid(schema, instance);
      verdicts[expected ? "accepted" : "refused"]++;
      const problems = explainMismatch(prepared.root, instance, prepared.targets, isValid);
      expect([accepts(instance), problems.length === 0]).toEqual([expected, expected]);
    }),
    { numRuns: 3000 },
  );
  expect(Math.min(verdicts.accepted, verdicts.refused)).toBeGreaterThan(200);
});

const { full } = fc.letrec<{ full: Schema | boolean }>((tie) => ({
  full: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    plain,
    fc.record(
      {
        allOf: fc.array(tie("full"), { minLength: 1, maxLength: 2 }),
        oneOf: fc.array(tie("full"), { minLength: 1, maxLength: 2 }),
        not: tie("full"),
        ...Object.fromEntries(["if", "then", "else"].map((word) => [word, tie("full")])),
        $ref: fc.constantFrom("#/$defs/one", "#/$defs/a~1b"),
      },
      { requiredKeys: [] },
    ),
    fc.record(
      {
        prefixItems: fc.array(tie("full"), { minLength: 1, maxLength: 2 }),
        items: tie("full"),
        contains: tie("full"),
        minContains: count,
        maxContains: count,
        uniqueItems: fc.boolean(),
        unevaluatedItems: tie("full"),
      },
      { requiredKeys: [] },
    ),
    fc.record(
      {
        properties: mapOf(tie("full")),
        patternProperties: fc.record({ "^a|b$": tie("full") }),
        additionalProperties: tie("full"),
        unevaluatedProperties: tie("full"),
        propertyNames: tie("full"),
        dependentRequired: mapOf(fc.array(names, { maxLength: 2 })),
        dependentSchemas: mapOf(tie("full")),
        minProperties: count,
        maxProperties: count,
        multipleOf: fc.constantFrom(0.5, 2),
      },
      { requiredKeys: [] },
    ),
  ),
}));

test("any schema gets the verdict the validator gives on the schema as it came", async () => {
  const checker = createSchemaChecker({ milliseconds: 10_000 });
  await fc.assert(
    fc.asyncProperty(mapOf(full), plain, plain, mapOf(value), async (properties, one, two, instance) => {
      const schema = { properties, $defs: { one, "a/b": two } };
      const expected = isValid(schema, instance);
      expect((await checker.check(schema, instance)).ok).toBe(expected);
    }),
    { numRuns: 300 },
  );
});

/** The library marks the schemas it is given, hence the copy. */
function isValid(schema: object | boolean, instance: unknown): boolean {
  return new Validator(JSON.parse(JSON.stringify(schema)), "2020-12").validate(instance).valid;
}

test.for([
  "^a",
  "^[a-z0-9-]{1,64}$",
  "^\\d{4}-\\d{2}-\\d{2}$",
  "^[^\\]]+$",
  "^v\\d+\\.\\d$",
  "^\\S+$",
  "^.*\\.png$",
  "^#[0-9a-f]{6}$",
])("%s can only take time in proportion to the text", (pattern) => {
  expect(isLinearPattern(pattern)).toBe(true);
});

const wild = [
  "a+",
  "^(a+)+$",
  "^a|b$",
  "^a*b*$",
  "^a+?$",
  "^(a)\\1$",
  "^\\p{L}+$",
  "^[[a]]+$",
  "^(?=a)a$",
  "^a{2,3}b{2,3}$",
];

test.for([...wild, "^a*a{99}a{99}b$", `^a*${"a".repeat(20)}b$`, `^${"a".repeat(300)}`])(
  "%s is left to the time limit",
  (pattern) => {
    expect(isLinearPattern(pattern)).toBe(false);
  },
);
