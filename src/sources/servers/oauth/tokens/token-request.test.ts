import { expect, test } from "vitest";
import { lifetimeMs } from "./token-request.ts";

const tenYears = 3650 * 24 * 3_600_000;

test.each([
  [3600, 3_600_000],
  ["600", 600_000],
  [1e300, tenYears],
  [Infinity, tenYears],
  [0, undefined],
  [-1, undefined],
  [Number.NaN, undefined],
  ["soon", undefined],
  ["", undefined],
  [null, undefined],
  [undefined, undefined],
  [[60], undefined],
])("expires_in %j stands for %j ms", (seconds, ms) => {
  expect(lifetimeMs(seconds)).toBe(ms);
});
