import { cpuMs } from "./process-cost.ts";
import { sum } from "./statistics.ts";

export interface Load {
  readonly latencies: readonly number[];
  readonly callsPerSecond: number;
  /** Processor time of the target, in ms; the sum where it is several processes. */
  readonly cpu: number;
}

/** Closed loop: this many callers, each sending its next call when it has the answer of its last. */
export async function runLoad(
  pids: readonly number[],
  call: () => Promise<unknown>,
  inFlight: number,
  ms: number,
): Promise<Load> {
  const latencies: number[] = [];
  const cpuBefore = sum(pids.map(cpuMs));
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
  return { latencies, callsPerSecond: latencies.length / seconds, cpu: sum(pids.map(cpuMs)) - cpuBefore };
}

/** In µs, over all loads together: the kernel's ticks of 10 ms are too coarse for one. */
export function cpuPerCall(loads: readonly Load[]): number {
  return (sum(loads.map(({ cpu }) => cpu)) * 1000) / sum(loads.map(({ latencies }) => latencies.length));
}
