import { runSoak } from "./run-soak.ts";

/** `node --expose-gc main.ts [rounds]`: says what it found as one line of JSON, and fails where something was left. */
const report = await runSoak(Number(process.argv[2] ?? 1000));
const growth = report.after.heap - report.early.heap;
const isClean =
  report.after.processes === report.before.processes &&
  report.after.descriptors === report.before.descriptors &&
  growth < 5_000_000;
console.log(JSON.stringify({ ...report, growth, isClean }));
process.exitCode = isClean ? 0 : 1;
