import { parseArgs } from "node:util";
import { startProxy } from "../start-proxy.ts";
import { runChaos } from "./run-chaos.ts";
import { runCrowd } from "./run-crowd.ts";
import { runCuts } from "./run-cuts.ts";
import { runFuzz } from "./run-fuzz.ts";
import { runHostile } from "./run-hostile.ts";

/** `node main.ts fuzz|cuts|crowd|hostile|chaos [--count n] [--seed n]`: prints a report as JSON, and exits with 1 if it is bad. */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { count: { type: "string" }, seed: { type: "string" } },
});
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
const count = (usual: number) => Number(values.count ?? usual);
const mega = 1024 * 1024;

const runs: Readonly<Record<string, () => Promise<readonly [report: object, isGood: boolean]>>> = {
  async fuzz() {
    const report = await runFuzz(count(1_000_000), seed);
    const [early, late] = report.memory;
    return [report, report.statuses.every((status) => status < 500) && late - early < 150];
  },
  async cuts() {
    await using proxy = await startProxy();
    const report = await runCuts(proxy, count(10_000), seed);
    return [report, report.wrong.length === 0 && report.maxRuns === 1];
  },
  async crowd() {
    const report = await runCrowd(count(10_000), 64);
    return [report, report.opened + report.refused === count(10_000) && report.memory[2] < 3000];
  },
  async chaos() {
    const report = await runChaos(count(600), seed);
    const { duplicates, falseSuccesses, unanswered, recovery } = report;
    return [report, duplicates + falseSuccesses + unanswered === 0 && recovery.p95 <= 5000 && recovery.most <= 30_000];
  },
  async hostile() {
    const report = await runHostile({
      flood: count(100_000),
      requests: count(100_000) / 5,
      messageBytes: 1024 * mega,
      readers: 60,
      answerBytes: 50 * mega,
    });
    return [report, report.floodClosedWith === 4429 && report.hugeClosedWith === 1009 && report.memory[2] < 3000];
  },
};

const [name = ""] = positionals;
const run = runs[name];
if (run === undefined) throw new Error(`name one of: ${Object.keys(runs).join(", ")}`);
const started = performance.now();
const [report, isGood] = await run();
const seconds = Math.round((performance.now() - started) / 1000);
console.log(JSON.stringify({ run: name, seed, seconds, isGood, ...report }, undefined, 2));
process.exit(isGood ? 0 : 1);
