import * as fc from "fast-check";
import { expect, test } from "vitest";
import { compileGlob, compileGlobs } from "./glob.ts";

test("a glob matches exactly what the same pattern as a regular expression does", () => {
  const pattern = fc.string({ unit: fc.constantFrom("a", "b", "*", "?", ".", "_"), maxLength: 8 });
  const text = fc.string({ unit: fc.constantFrom("a", "b", ".", "_", "*"), maxLength: 12 });
  fc.assert(
    fc.property(pattern, text, (pattern, text) => {
      const escaped = pattern
        .replaceAll(".", String.raw`\.`)
        .replaceAll("*", ".*")
        .replaceAll("?", ".");
      expect(compileGlob(pattern)(text)).toBe(new RegExp(`^${escaped}$`, "s").test(text));
    }),
    { numRuns: 2000 },
  );
});

test("one match of many globs is enough, and an empty list matches nothing", () => {
  expect(compileGlobs(["a", "b*"])("bee")).toBe(true);
  expect(compileGlobs(["a", "b*"])("cab")).toBe(false);
  expect(compileGlobs([])("")).toBe(false);
});
