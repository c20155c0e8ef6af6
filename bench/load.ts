import { cpuMs } from "./process-cost.ts";

export interface Load {
  readonly latencies: readonly number[];
  readonly callsPerSecond: number;
  /** Processor time of the target, in ms. */
  readonly cpu: number;
}

/** Closed loop: this many callers, each sending its next call when it has the answer of its last. */
export async function runLoad(pid: number, call: () => Promise<unknown>, inFlight: number, ms: number): Promise<Load> {
  const latencies: number[] = [];
  const cpuBefore = cpuMs(pid);
  const start = performance.now();

  async function caller(): Promise<void> {
    for (let before = performance.now(); before - start < ms;) {
      await call();
      const after = performance.now();
      latencies.push(after - before);
      before = after;
    }
  }
  await Promise.all(Array.from({ length: inFlight }, caller));

  const seconds = (performance.now() - start) / 1000;
  return { latencies, callsPerSecond: latencies.length / seconds, cpu: cpuMs(pid) - cpuBefore };
}
