import type { ScenarioResult } from "./read-results.ts";

/** `<scenario>/<check>` and why it fails. */
export type ExpectedFailures = Readonly<Record<string, string>>;

/** The results without the failures that are expected. A check that is listed and does not fail becomes a failure. */
export function expectFailures(
  scenarios: readonly ScenarioResult[],
  expected: ExpectedFailures,
): readonly ScenarioResult[] {
  const failing = new Set(scenarios.flatMap(({ scenario, failures }) => failures.map((id) => `${scenario}/${id}`)));
  const stale = Object.keys(expected).filter((name) => !failing.has(name));
  return [...scenarios.map((each) => withoutExpected(each, expected)), ...stale.map(unexpectedPass)];
}

function withoutExpected(result: ScenarioResult, expected: ExpectedFailures): ScenarioResult {
  const { scenario } = result;
  const isExpected = (id: string) => Object.hasOwn(expected, `${scenario}/${id}`);
  const left = result.failures.filter((id) => !isExpected(id));
  const complaints = result.complaints.filter(
    (line) => !result.failures.some((id) => isExpected(id) && line.startsWith(`FAILURE ${scenario}/${id}:`)),
  );
  const reasons = [...new Set(result.failures.filter(isExpected))].map(
    (id) => `EXPECTED ${scenario}/${id}: ${expected[`${scenario}/${id}`]}`,
  );
  return { ...result, failures: left, failed: left.length, complaints: [...complaints, ...reasons] };
}

function unexpectedPass(name: string): ScenarioResult {
  const [scenario = name, id = ""] = name.split("/");
  const complaint = `FAILURE ${name}: listed as expected to fail, but it does not`;
  return { scenario, passed: 0, failed: 1, warned: 0, failures: [id], complaints: [complaint] };
}
