import { expect, test } from "vitest";
import { expectFailures } from "../../conformance/expect-failures.ts";
import type { ScenarioResult } from "../../conformance/read-results.ts";

const result = (scenario: string, ...failures: string[]): ScenarioResult => ({
  scenario,
  passed: 1,
  failed: failures.length,
  warned: 0,
  failures,
  complaints: failures.map((id) => `FAILURE ${scenario}/${id}: broken`),
});

test("an expected failure does not count, and its reason is shown", () => {
  expect(expectFailures([result("a", "x", "y")], { "a/x": "by design" })).toEqual([
    {
      ...result("a", "y"),
      complaints: ["FAILURE a/y: broken", "EXPECTED a/x: by design"],
    },
  ]);
});

test("the same check of another scenario counts", () => {
  expect(expectFailures([result("a", "x"), result("b", "x")], { "a/x": "by design" })[1]).toEqual(result("b", "x"));
});

test("a check that is listed and passes is a failure", () => {
  expect(expectFailures([result("a")], { "a/x": "by design" })).toEqual([
    result("a"),
    { ...result("a", "x"), passed: 0, complaints: ["FAILURE a/x: listed as expected to fail, but it does not"] },
  ]);
});
