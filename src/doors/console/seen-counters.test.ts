import { expect, test } from "vitest";
import { createSeenCounters } from "./seen-counters.ts";

test("each number is taken once, in any order within a window", () => {
  const seen = createSeenCounters();
  const taken = [3, 1, 2, 2, 3, 1, 7, 4, 7, 6, 5, 4].map((counter) => seen.take(counter));
  expect(taken).toEqual([true, true, true, false, false, false, true, true, false, true, true, false]);
});

test("a number that is too far behind is refused, used or not", () => {
  const seen = createSeenCounters();
  expect(seen.take(5000)).toBe(true);
  expect(seen.take(5000 - 1025)).toBe(false);
  expect(seen.take(5000 - 1024)).toBe(true);
  expect(seen.take(5000 - 1024)).toBe(false);
  expect(seen.take(5001)).toBe(true);
  expect(seen.take(5001 - 1024)).toBe(true);
  expect(seen.take(1e15)).toBe(true);
  expect(seen.take(4999)).toBe(false);
});
