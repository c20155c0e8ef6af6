import * as fc from "fast-check";
import { expect, test } from "vitest";
import { backoffDelays } from "./backoff.ts";

test("waits double up to the longest and stay there", () => {
  const delays = backoffDelays({ firstMs: 1000, maxMs: 60_000 });
  expect([...delays.take(8)]).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]);
});

test("jitter only ever shortens a wait, by no more than its part", () => {
  const parts = {
    random: fc.double({ min: 0, max: 1, noNaN: true }),
    jitter: fc.double({ min: 0, max: 1, noNaN: true }),
  };
  fc.assert(
    fc.property(fc.record(parts), ({ random, jitter }) => {
      const [delay = -1] = backoffDelays({ firstMs: 1000, maxMs: 5000, jitter, random: () => random });
      expect(delay).toBeLessThanOrEqual(1000);
      expect(delay).toBeGreaterThanOrEqual(Math.floor(1000 * (1 - jitter)));
    }),
  );
});

test("the first wait is never longer than the longest", () => {
  expect(backoffDelays({ firstMs: 900, maxMs: 100 }).next().value).toBe(100);
});
