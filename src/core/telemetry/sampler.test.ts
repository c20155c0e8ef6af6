import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { readSampler } from "./sampler.ts";

const id = "4bf92f3577b34da6a3ce929d0e0e4736";
const parent = (flags: number) => ({ traceId: id, spanId: "00f067aa0ba902b7", flags });

function samplerOf(name: string, arg = "") {
  const warnings: string[] = [];
  const sampler = readSampler({ OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: arg }, warnings);
  return { sampler, warnings };
}

test.each([
  ["", true, true, false],
  ["always_on", true, true, true],
  ["always_off", false, false, false],
  ["parentbased_always_on", true, true, false],
  ["parentbased_always_off", false, true, false],
])("«%s» samples roots: %s, children of the sampled: %s, of the others: %s", (name, root, ofSampled, ofOthers) => {
  const { sampler, warnings } = samplerOf(name);
  expect([sampler(id, undefined), sampler(id, parent(1)), sampler(id, parent(0))]).toEqual([root, ofSampled, ofOthers]);
  expect(warnings).toEqual([]);
});

test("a ratio takes its share of the traces, and a smaller ratio takes some of the same", () => {
  const some = samplerOf("traceidratio", "0.5").sampler;
  const fewer = samplerOf("parentbased_traceidratio", "0.1").sampler;
  const ids = Array.from({ length: 10_000 }, () => randomBytes(16).toString("hex"));
  const chosen = ids.filter((traceId) => some(traceId, undefined));
  const chosenByFewer = ids.filter((traceId) => fewer(traceId, undefined));
  expect(chosen.length / ids.length).toBeCloseTo(0.5, 1);
  expect(chosenByFewer.length / ids.length).toBeCloseTo(0.1, 1);
  expect(chosenByFewer.every((traceId) => chosen.includes(traceId))).toBe(true);
});

test.each([
  ["0", false],
  ["1", true],
])("the ratio %s is all or nothing", (ratio, expected) => {
  const { sampler } = samplerOf("traceidratio", ratio);
  expect(sampler("f".repeat(32), undefined)).toBe(expected);
  expect(sampler(`1${"0".repeat(31)}`, undefined)).toBe(expected);
});

test.each([
  ["sometimes", ""],
  ["traceidratio", "2"],
  ["traceidratio", "half"],
])("«%s» with «%s» is warned about and records everything", (name, arg) => {
  const { sampler, warnings } = samplerOf(name, arg);
  expect(sampler(id, undefined)).toBe(true);
  expect(warnings).toHaveLength(1);
});
