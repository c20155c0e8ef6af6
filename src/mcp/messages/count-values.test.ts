import { expect, test } from "vitest";
import { atOnce } from "../../core/slices/in-slices.ts";
import { hasTooManyValues, maxValues } from "./count-values.ts";

const many = Array.from({ length: maxValues + 2 }, () => 1);

test.each([
  ["values in a list", many],
  ["empty lists", many.map(() => [])],
  ["fields", Object.fromEntries(many.map((_, index) => [`field${index}`, 0]))],
  ["blocks", { content: many.map(() => ({ type: "text", text: "x" })) }],
])("too many %s are noticed", (_, value) => {
  expect(atOnce(hasTooManyValues(JSON.stringify(value)))).toBe(true);
});

test.each([
  ["commas and brackets in a text", { text: '[,"],\\"'.repeat(maxValues) }],
  ["a long text", { text: "x".repeat(5_000_000) }],
  ["many values, but not too many", { rows: many.slice(0, maxValues - 2) }],
])("%s are read", (_, value) => {
  expect(atOnce(hasTooManyValues(JSON.stringify(value)))).toBe(false);
});
