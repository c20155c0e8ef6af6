import { expect, test } from "vitest";
import { callTime } from "../../../console/src/pages/overview/call-time.ts";

test("the median and the p95 of an hour are those of its calls, not the means of its minutes", () => {
  const hour = [{ times: [[2, 1] as const, [20, 1] as const] }, {}, { times: [[130, 1] as const] }];
  expect(callTime(hour, 0.5)).toBe(20);
  expect(callTime(hour, 0.95)).toBe(130);
  expect(callTime([{ times: [[5, 99] as const] }, { times: [[4000, 1] as const] }], 0.95)).toBe(5);
  expect(callTime([{}], 0.5)).toBeUndefined();
});
