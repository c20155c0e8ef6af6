import { expect, test } from "vitest";
import { readJson5 } from "../../../core/config/json5/read-json5.ts";
import { hideTools } from "./hide-tools.ts";

const excluded = (text: string): unknown =>
  (readJson5(text).value as { catalog: { exclude: readonly string[] } }).catalog.exclude;

test.each([
  ["", ["a", "b"]],
  ["{}", ["a", "b"]],
  ["{ servers: {} }", ["a", "b"]],
  ["{ catalog: { include: ['*'] } }", ["a", "b"]],
  ["{ catalog: { exclude: [] } }", ["a", "b"]],
  ["{ catalog: { exclude: [ /* none */ ] } }", ["a", "b"]],
  ["{ catalog: { exclude: ['b'] } }", ["a", "b"]],
  ['{ "catalog": { "exclude": ["x*",] } }', ["a", "b", "x*"]],
  ["{ catalog: { exclude: [\n  // mine\n  'x', // why\n  'y'\n] } }", ["a", "b", "x", "y"]],
])("tools are added to the list in %j", (text, expected) => {
  expect(excluded(hideTools(text, ["a", "b", "a"]))).toEqual(expected);
});

test("what is written around them stays", () => {
  const text = "{\n  // mine\n  catalog: {\n    exclude: [\n      // old ones\n      'x', // why\n    ],\n  },\n}\n";
  expect(hideTools(text, ["a"])).toBe(text.replace("// old ones", '"a",\n      // old ones'));
  expect(hideTools(text, ["x"])).toBe(text);
});

test("a name is a text, whatever is in it", () => {
  const name = '"] }, policy: {}, x: ["\n// \u2028';
  expect(excluded(hideTools("{ catalog: { exclude: ['x'] } }", [name]))).toEqual([name, "x"]);
});

test("a list that is none is reported", () => {
  expect(() => hideTools("{ catalog: { exclude: 'x' } }", ["a"])).toThrow("`catalog.exclude` is not a list.");
  expect(() => hideTools("{", ["a"])).toThrow("The configuration can't be read: ");
});
