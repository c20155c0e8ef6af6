import { readdirSync, readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { heapInUse } from "../../support/collect-garbage.ts";
import { startNode } from "../start-node.ts";

/**
 * `node main.ts [--calls n]`: so many calls of a node, one after the other, every twentieth of them a command. Prints
 * processes, open files and heap before and after, as JSON, and exits with 1 if processes or files are left or the heap
 * has grown by more than 4 MB.
 */
const { values } = parseArgs({ options: { calls: { type: "string", default: "10000" } } });
const calls = Number(values.calls);
const node = await startNode({ approvals: { version: 1, defaults: { security: "full", ask: "off" } } });

async function call(count: number): Promise<void> {
  if (count % 20 === 0) await node.text("system.run", { command: ["true"] });
  else if (count % 20 === 1) await node.text("system.run", { command: ["no-such-program"] });
  else if (count % 2 === 0) await node.text("device.status");
  else await node.text("system.which", { bins: ["git"] });
}

async function measure() {
  const children = readdirSync("/proc").filter((name) => /^\d+$/.test(name) && parentOf(name) === process.pid).length;
  return { children, files: readdirSync("/proc/self/fd").length, heapMb: Math.round((await heapInUse()) / 1e5) / 10 };
}

function parentOf(pid: string): number | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1");
    return Number(text.slice(text.lastIndexOf(")") + 2).split(" ")[1]);
  } catch {
    return undefined;
  }
}

for (let count = 0; count < Math.min(1000, calls / 10); count++) await call(count);
const before = await measure();
const started = performance.now();
for (let count = 0; count < calls; count++) await call(count);
const seconds = Math.round((performance.now() - started) / 1000);
const after = await measure();
await node[Symbol.asyncDispose]();
const isGood = after.children <= before.children && after.files <= before.files && after.heapMb <= before.heapMb + 4;
console.log(JSON.stringify({ calls, seconds, isGood, before, after }, undefined, 2));
process.exit(isGood ? 0 : 1);
