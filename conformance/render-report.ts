import type { ScenarioResult } from "./read-results.ts";

interface Suite {
  readonly title: string;
  readonly atLeast: number;
}

export interface SuiteResult {
  readonly suite: Suite;
  readonly scenarios: readonly ScenarioResult[];
}

/** A table with a row for each scenario and a column for each suite, and the failed checks below it. */
export function renderReport(results: readonly SuiteResult[]): string {
  const names = [...new Set(results.flatMap(({ scenarios }) => scenarios.map(({ scenario }) => scenario)))].sort();
  const rows = names.map((name) => [
    name,
    ...results.map(({ scenarios }) => cell(scenarios.filter((s) => s.scenario === name))),
  ]);
  const table = [
    ["checks passed in", ...results.map(({ suite }) => suite.title)],
    ...rows,
    ["total", ...results.map(({ scenarios }) => cell(scenarios))],
    ["required", ...results.map(({ suite }) => String(suite.atLeast))],
  ];
  return [...align(table), ...results.flatMap(({ suite, scenarios }) => complaints(suite, scenarios))].join("\n");
}

/** Whether no check failed, and enough checks passed. */
export function isGood({ suite, scenarios }: SuiteResult): boolean {
  const { passed, failed, warned } = sum(scenarios);
  return failed === 0 && warned === 0 && passed >= suite.atLeast;
}

function cell(scenarios: readonly ScenarioResult[]): string {
  if (scenarios.length === 0) return "";
  const { passed, failed, warned } = sum(scenarios);
  return `${passed}${failed > 0 ? ` (${failed} failed)` : ""}${warned > 0 ? ` (${warned} warned)` : ""}`;
}

function sum(scenarios: readonly ScenarioResult[]): { passed: number; failed: number; warned: number } {
  const total = { passed: 0, failed: 0, warned: 0 };
  for (const { passed, failed, warned } of scenarios) {
    total.passed += passed;
    total.failed += failed;
    total.warned += warned;
  }
  return total;
}

function complaints(suite: Suite, scenarios: readonly ScenarioResult[]): readonly string[] {
  return scenarios.flatMap((scenario) => scenario.complaints).map((line) => `${suite.title}: ${line}`);
}

function align(table: readonly (readonly string[])[]): readonly string[] {
  const widths = (table[0] ?? []).map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  return table.map((row) =>
    row
      .map((text, column) => text.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}
