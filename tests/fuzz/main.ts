import { parseArgs } from "node:util";
import { runFuzz } from "./run-fuzz.ts";

const maxGrowth = 5_000_000;

const { values } = parseArgs({
  options: { messages: { type: "string", default: "1000000" }, seed: { type: "string" } },
});
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
const messages = Number(values.messages);
console.log(`Fuzzing with ${messages} messages, seed ${seed}`);
const started = performance.now();
let lastReported = 0;
const report = await runFuzz({
  messages,
  seed,
  onRound(sent) {
    if (sent - lastReported < messages / 10) return;
    lastReported = sent;
    console.log(`${sent} messages, ${Math.round((performance.now() - started) / 1000)} s`);
  },
});
const growth = report.heapLate - report.heapEarly;
console.log(
  `${report.sent} messages answered correctly. Heap ${mega(report.heapEarly)} MB after a fifth, ${mega(report.heapLate)} MB at the end.`,
);
if (growth >= maxGrowth) {
  console.error(`The heap grew by ${mega(growth)} MB; less than ${mega(maxGrowth)} MB is allowed.`);
  process.exitCode = 1;
}

function mega(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}
