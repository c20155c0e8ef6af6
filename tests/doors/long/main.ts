import { parseArgs } from "node:util";
import { runAttack } from "./run-attack.ts";

/**
 * `node main.ts [--seconds n]`: slow bodies, slow heads and slow calls of one token against a hub. Prints how the calls
 * of another token fared, as JSON, and exits with 1 if one of them failed. The times are printed, not judged: expect the
 * loaded p99 within three times the unloaded one on a machine that does nothing else.
 */
const { values } = parseArgs({ options: { seconds: { type: "string", default: "60" } } });
const attackMs = Number(values.seconds) * 1000;
const report = await runAttack({ quietMs: Math.min(20_000, attackMs), attackMs });
const isGood = [report.loaded, report.main].every(({ failures }) => Object.keys(failures).length === 0);
const p99Ratio = Number((report.loaded.p99Ms / report.unloaded.p99Ms).toFixed(2));
console.log(JSON.stringify({ seconds: attackMs / 1000, isGood, p99Ratio, ...report }, undefined, 2));
process.exit(isGood ? 0 : 1);
