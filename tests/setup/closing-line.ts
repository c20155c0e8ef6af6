import type { Reporter, TestModule } from "vitest/node";
import { areSkipsAllowed } from "./skips-allowed.ts";

/** Ends a run with the names of the skipped tests and one line that counts the tests. */
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
    if (skipped.length > 0)
      process.stdout.write(
        `${skipped.length} skipped:\n${skipped
          .sort()
          .map((name) => `  ${name}\n`)
          .join("")}`,
      );
    process.stdout.write(`\n${counts.passed} passed, ${failed} failed, ${counts.skipped} skipped\n`);
    if (counts.skipped > 0 && !areSkipsAllowed()) process.exitCode = 1;
  }
}
