import * as fc from "fast-check";
import { expect, test } from "vitest";
import { parseJson } from "../json.ts";
import { atOnce, inSlices } from "./in-slices.ts";
import { parseJsonInSlices } from "./parse-json.ts";
import { decodeInSlices, slicesOf } from "./text-slices.ts";
import { writeJsonInSlices } from "./write-json.ts";

const string = fc.string({ unit: "binary", maxLength: 40 });
const number = fc.constantFrom("-0", "1e400", "12345678901234567890", "0.1000000000000000055511151231257827", "7");
const value = fc.jsonValue({ maxDepth: 6, stringUnit: "binary" });
const sliceSize = fc.integer({ min: 1, max: 100 });

test("in slices of any size a value is written as at once, with and without indents", () => {
  const given = fc.tuple(value, fc.array(number), fc.dictionary(string, string), fc.constantFrom([], {}));
  fc.assert(
    fc.property(
      given,
      sliceSize,
      sliceSize,
      fc.constantFrom(0, 1, 2),
      ([plain, numbers, names, empty], read, maxChars, indent) => {
        const text = `[${JSON.stringify(plain)},{"deep":{"er":[[${numbers.join(",")}]]}},${JSON.stringify([names, empty])}]`;
        const whole = parseJson(text);
        const sliced = atOnce(parseJsonInSlices(text, read));
        for (const each of [whole, sliced])
          expect([...writeJsonInSlices(each, { indent, maxChars })].join("")).toBe(
            JSON.stringify(whole, undefined, indent),
          );
      },
    ),
    { numRuns: 500 },
  );
});

test("no piece begins or ends within a character, and none is much longer than a slice", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 200 }), sliceSize, (text, maxChars) => {
      const pieces = [...slicesOf(text, maxChars)];
      expect(pieces.join("")).toBe(text);
      for (const piece of pieces) expect(piece.isWellFormed() && piece.length <= maxChars + 1).toBe(true);
    }),
  );
  for (const piece of writeJsonInSlices({ all: ["🦞".repeat(1000), "x"] }, { maxChars: 101 }))
    expect(piece.isWellFormed() && piece.length < 300).toBe(true);
});

test("what can't be written at all throws, whatever its size", () => {
  const around: Record<string, unknown> = { long: "x".repeat(100) };
  around["self"] = around;
  expect(() => [...writeJsonInSlices(around, { maxChars: 10 })]).toThrow("circular");
  const deep = atOnce(parseJsonInSlices(`${"[".repeat(20_000)}"${"x".repeat(100)}"${"]".repeat(20_000)}`, 10));
  expect([...writeJsonInSlices(deep, { maxChars: 10 })].join("")).toHaveLength(40_102);
  expect(() => [...writeJsonInSlices(deep, { maxChars: 10, indent: 1 })]).toThrow(RangeError);
});

test("bytes that come in parts have the text that they have together, even if they are no UTF-8", () => {
  const bytes = fc.array(fc.oneof(fc.constantFrom(...Buffer.from("aé€🦞\xff\xc0")), fc.nat(255)), { maxLength: 60 });
  fc.assert(
    fc.property(bytes, fc.array(fc.nat(60)), (all, cuts) => {
      const whole = Buffer.from(all);
      const places = [0, ...cuts.toSorted((a, b) => a - b), whole.length];
      const parts = places.slice(1).map((end, index) => whole.subarray(places[index], end));
      expect(atOnce(decodeInSlices(parts))).toBe(whole.toString("utf8"));
    }),
    { numRuns: 2000 },
  );
});

test("others are served between two slices, and work that is given up stops", async () => {
  let slices = 0;
  function* work() {
    for (;;) {
      const end = performance.now() + 6;
      while (performance.now() < end);
      slices++;
      yield;
    }
  }
  const stop = new AbortController();
  let turns = 0;
  const ticking = setInterval(() => ++turns === 3 && stop.abort(new Error("given up")));
  await expect(inSlices(work(), stop.signal)).rejects.toThrow("given up");
  clearInterval(ticking);
  expect(slices).toBeGreaterThanOrEqual(turns);
});
