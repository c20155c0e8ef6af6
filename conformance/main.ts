import { isGood, renderReport } from "./render-report.ts";
import type { SuiteResult } from "./render-report.ts";
import { runSuite, suites } from "./run-suite.ts";
import { startFixture } from "./start-fixture.ts";

const results: SuiteResult[] = [];
for (const suite of suites) {
  // A fixture of its own for each suite: what one leaves behind is no matter for the next.
  await using fixture = await startFixture();
  results.push({ suite, scenarios: await runSuite(suite, fixture.url) });
}
console.log(renderReport(results));
if (!results.every(isGood)) process.exitCode = 1;
