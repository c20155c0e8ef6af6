import type { Reporter, TestModule } from "vitest/node";

/** Ends a run with one plain line that counts the tests. Where `CI` is set, a skipped test fails the run. */
export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const counts = { passed: 0, failed: 0, skipped: 0, pending: 0 };
    const skipped: string[] = [];
    for (const module of modules) {
      if (module.state() === "failed" && module.children.size === 0) counts.failed++;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        counts[state]++;
        if (state === "skipped") skipped.push(test.fullName);
      }
    }
    const failed = counts.failed + counts.pending + errors.length;
    if (skipped.length > 0) process.stdout.write(`skipped:\n${skipped.map((name) => `  ${name}\n`).join("")}`);
    process.stdout.write(`\n${counts.passed} passed, ${failed} failed, ${counts.skipped} skipped\n`);
    if (process.env.CI && counts.skipped > 0) process.exitCode = 1;
  }
}
