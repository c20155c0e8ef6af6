import { isDeepStrictEqual } from "node:util";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { approximateJsonSize } from "../json-size.ts";
import { parseJson } from "../json.ts";
import { atOnce } from "./in-slices.ts";
import { parseJsonInSlices } from "./parse-json.ts";

const parse = (text: string, maxChars: number): unknown => atOnce(parseJsonInSlices(text, maxChars));

/** Texts of JSON that `JSON.stringify` does not write: white space, escapes, numbers beyond a double, repeated names. */
const space = fc.constantFrom("", "", "", " ", "\n\t", "\r\n  ");
const character = fc.oneof(
  fc.string({ unit: "binary", minLength: 1, maxLength: 3 }).map((text) => JSON.stringify(text).slice(1, -1)),
  fc.constantFrom(
    "\\n",
    "\\\\",
    '\\"',
    "\\/",
    "\\u0041",
    "\\ud83e\\udd9e",
    "\\ud83e",
    "🦞",
    "[",
    "]",
    "{",
    "}",
    ",",
    ":",
  ),
);
const string = fc.array(character, { maxLength: 30 }).map((all) => `"${all.join("")}"`);
const number = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
  fc.constantFrom("-0", "0", "1e400", "1.0", "12345678901234567890", "-0.1000000000000000055511151231257827"),
);
const name = fc.oneof(string, fc.constantFrom('"__proto__"', '"constructor"', '"a"', '"7"', '""'));
const { value } = fc.letrec<{ value: string; array: string; object: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    string,
    number,
    fc.constantFrom("true", "false", "null", "[]", "{}"),
    tie("array"),
    tie("object"),
  ),
  array: fc.array(fc.tuple(space, tie("value"), space), { maxLength: 12 }).map((all) => `[${join(all)}]`),
  object: fc
    .array(fc.tuple(space, name, space, fc.constant(":"), space, tie("value"), space), { maxLength: 12 })
    .map((all) => `{${join(all)}}`),
}));
const join = (all: readonly (readonly string[])[]): string => all.map((parts) => parts.join("")).join(",");
const document = fc
  .tuple(
    space,
    fc.oneof(
      value.map((item) => `[${item}]`),
      value.map((item) => `{"a":${item}}`),
    ),
    space,
  )
  .map((parts) => parts.join(""));
const sliceSize = fc.integer({ min: 1, max: 200 });

test("in slices of any size a text has the value that it has at once, to the digit and in the same order", () => {
  fc.assert(
    fc.property(document, sliceSize, (text, maxChars) => {
      const [sliced, whole] = [parse(text, maxChars), parseJson(text)];
      expect(JSON.stringify(sliced)).toBe(JSON.stringify(whole));
      expect(isDeepStrictEqual(sliced, whole)).toBe(true);
    }),
    { numRuns: 1500 },
  );
});

test("the noted size of a value is the one that would be measured", () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue(), { minLength: 1 }), sliceSize, (given, maxChars) => {
      expect(approximateJsonSize(parse(JSON.stringify(given), maxChars))).toBe(approximateJsonSize(given));
    }),
  );
});

test("what is no JSON at once is none in slices", () => {
  const isJson = (text: string, read: (text: string) => unknown): boolean => {
    try {
      read(text);
      return true;
    } catch {
      return false;
    }
  };
  const broken = fc
    .tuple(
      document,
      fc.nat(),
      fc.constantFrom("", ",", "]", "}", "[", "{", '"', "\\", ":", "x", "1", " ", "\u0001"),
      fc.nat(2),
    )
    .map(([text, at, put, cut]) => {
      const place = at % (text.length + 1);
      return text.slice(0, place) + put + text.slice(place + cut);
    });
  const isContainer = (text: string): boolean => /^[ \t\n\r]*[[{]/.test(text);
  fc.assert(
    fc.property(broken.filter(isContainer), sliceSize, (text, maxChars) => {
      expect(isJson(text, (each) => parse(each, maxChars))).toBe(isJson(text, parseJson));
    }),
    { numRuns: 3000 },
  );
  for (const text of [
    "",
    " ",
    "]",
    "1",
    '"a"',
    `"${"a".repeat(100)}"`,
    "[1,]",
    "[,1]",
    "[1 2]",
    '{"a":1,}',
    "[]]",
    "[[1],[2]",
  ])
    expect(isJson(text, (each) => parse(each, 10))).toBe(false);
});

test("depth, escapes and quotes cost no more than time that is linear", () => {
  const deep = `${"[".repeat(200_000)}"${"x".repeat(500)}"${"]".repeat(200_000)}`;
  let inner = parse(deep, 100);
  while (Array.isArray(inner)) [inner] = inner as [unknown];
  expect(inner).toBe("x".repeat(500));
  for (const unit of ["\\\\", '\\"', "\\u0041"]) {
    const text = `["${unit.repeat(300_000)}"]`;
    expect(parse(text, 1000)).toEqual(JSON.parse(text));
  }
});
