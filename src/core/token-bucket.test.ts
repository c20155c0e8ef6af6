import { expect, test } from "vitest";
import { RateLimiter } from "./token-bucket.ts";

test("twice the rate passes at once, then as much as time allows, and a clock that goes back gives nothing", () => {
  let now = 1000;
  const limiter = new RateLimiter(2, () => now);
  const passed = (tries: number) => Array.from({ length: tries }, () => limiter.take()).filter(Boolean).length;
  expect(passed(10)).toBe(4);
  now += 500;
  expect(passed(10)).toBe(1);
  now -= 400;
  expect(passed(10)).toBe(0);
  now += 500;
  expect(passed(10)).toBe(1);
  now += 60_000;
  expect(passed(10)).toBe(4);
});
