import { expect, test } from "vitest";
import { retryAfterMs } from "./retry-after.ts";

const now = Date.parse("2026-01-01T00:00:00Z");

test.each([
  ["0", 0],
  ["120", 120_000],
  ["Thu, 01 Jan 2026 00:00:30 GMT", 30_000],
  ["Wed, 31 Dec 2025 23:59:00 GMT", 0],
  [undefined, undefined],
  ["", undefined],
  ["soon", undefined],
  ["-5", undefined],
  ["1.5", undefined],
  ["99999999999", undefined],
])("%s is %s ms from now", (value, ms) => {
  expect(retryAfterMs(value, now)).toBe(ms);
});
