import { setPriority } from "node:os";
import { parseArgs } from "node:util";
import { runEdits } from "./run-edits.ts";

/**
 * `node main.ts [--changes n] [--busy n] [--nice n]`: edits of the configuration and `/mcp connect` in a row, in a real gateway on a
 * busy machine. Prints how it went as JSON, and exits with 1 if a tool is missing, a command failed, the gateway complained, or
 * something of the plugin was still running when the gateway replaced it.
 */
const { values } = parseArgs({
  options: {
    changes: { type: "string", default: "50" },
    busy: { type: "string", default: "12" },
    nice: { type: "string", default: "5" },
  },
});
// The gateway inherits it, as the busy loops do: they compete with each other, and others can work.
setPriority(Number(values.nice));
const report = await runEdits({ changes: Number(values.changes), busyLoops: Number(values.busy) });
const { refused, missing, complaints, leftRunning } = report;
const isGood = [refused, missing, complaints, leftRunning].every(({ length }) => length === 0);
console.log(JSON.stringify({ ...values, isGood, ...report }, undefined, 2));
process.exit(isGood ? 0 : 1);
