import { expect, test } from "vitest";
import { approximateJsonSize } from "./json-size.ts";

test.each([["text"], [""], [{ content: [{ type: "text", text: "hello" }], isError: false }], [["a", "bc", []]], [{}]])(
  "%j is about as long as its JSON",
  (value) => {
    const length = JSON.stringify(value).length;
    expect(Math.abs(approximateJsonSize(value) - length)).toBeLessThanOrEqual(Math.max(4, length * 0.2));
  },
);

test("a value that is nested deeper than a function can call itself is measured like any other", () => {
  const depth = 200_000;
  let nested: unknown = "x";
  for (let level = 0; level < depth; level++) nested = level % 2 === 0 ? [nested] : { a: nested };
  expect(approximateJsonSize(nested)).toBeGreaterThan(3 * depth);
  expect(approximateJsonSize(nested)).toBeLessThan(8 * depth);
});
