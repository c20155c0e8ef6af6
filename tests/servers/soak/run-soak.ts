import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { textOf } from "../../support/start-guard.ts";
import { defined, startEngine } from "../../support/start-engine.ts";

export interface Levels {
  readonly processes: number;
  readonly descriptors: number;
  /** Bytes on the heap after a collection. */
  readonly heap: number;
}

export interface SoakReport {
  readonly rounds: number;
  readonly before: Levels;
  /** After a fifth of the rounds, when everything that is made once has been made. */
  readonly early: Levels;
  readonly after: Levels;
}

const server = path.join(import.meta.dirname, "..", "fixtures", "tiny-stdio.sh");

/** Connects and disconnects a stdio server again and again, with a call each time. Needs `node --expose-gc`. */
export async function runSoak(rounds: number): Promise<SoakReport> {
  const definitions = await defined({ tiny: { command: "sh", args: [server] } });
  await using engine = await startEngine({});
  const connectAndLeave = async () => {
    await engine.manager.apply(definitions);
    await engine.manager.settled(15_000);
    if (textOf(await engine.call("tiny__hello")) !== "hello") throw new Error("the server did not answer");
    await engine.manager.apply([]);
    engine.lines.length = 0;
  };
  // With the first child process Node opens a descriptor of its own, for good.
  await connectAndLeave();
  const before = await measure();
  let early = before;
  for (let round = 1; round <= rounds; round++) {
    await connectAndLeave();
    if (round === Math.ceil(rounds / 5)) early = await measure();
  }
  return { rounds, before, early, after: await measure() };
}

async function measure(): Promise<Levels> {
  for (let count = 0; count < 5; count++) {
    await nextTurn();
    globalThis.gc?.();
  }
  return {
    processes: ownProcesses(),
    descriptors: readdirSync("/proc/self/fd").length,
    heap: process.memoryUsage().heapUsed,
  };
}

/** Processes that carry our mark, or are our children, dead ones that were not counted included. */
function ownProcesses(): number {
  return readdirSync("/proc").filter((name) => /^\d+$/.test(name) && isOurs(name)).length;
}

function isOurs(pid: string): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const parent = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1];
    const isMarked = readFileSync(`/proc/${pid}/environ`, "latin1").includes(`CLAWPORT_OWNER=${process.pid}_`);
    return parent === String(process.pid) || isMarked;
  } catch {
    return false;
  }
}
