import { parseArgs } from "node:util";
import { clawport } from "../../support/cli/run-clawport.ts";
import { runKills } from "../run-kills.ts";

/**
 * `node kills.ts [--kills n] [--clients n]`: kills a hub under load, 30 times by default. Prints a report as JSON, and
 * exits with 1 if a call ran twice, a call that ran has no audit line, a process is left, or the chain breaks.
 */
const { values } = parseArgs({ options: { kills: { type: "string" }, clients: { type: "string" } } });
const started = performance.now();
let exitOfVerify: number | undefined;
const report = await runKills(
  {
    kills: Number(values.kills ?? 30),
    clients: Number(values.clients ?? 20),
    answersPerLife: 300,
    // Half of the lives keep the chain. Small files, so that some kills come while the audit is rotated.
    audit: (life) => ({ chain: life % 2 === 1, maxBytes: 50_000, keep: 1000 }),
  },
  async (place) => (exitOfVerify = (await clawport(place, "audit", "verify")).exit),
);
const { executedTwice, executedWithoutLine, answeredWithoutLine, processesLeft } = report;
const isGood = executedTwice + executedWithoutLine + answeredWithoutLine + processesLeft === 0 && exitOfVerify === 0;
const seconds = Math.round((performance.now() - started) / 1000);
console.log(JSON.stringify({ seconds, isGood, exitOfVerify, ...report }, undefined, 2));
process.exit(isGood ? 0 : 1);
