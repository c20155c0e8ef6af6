import type { Metrics } from "./metrics.ts";

const sampleMs = 500;
const sampleCount = 60;

/** Metrics of the process: memory, CPU time, start, and how late its timers fire. Dispose of it to stop sampling. */
export function watchProcess(metrics: Metrics): Disposable {
  const startedAt = Date.now() / 1000 - process.uptime();
  const lag = createLagSampler();
  const stops = [
    metrics.watch(
      { name: "process_cpu_seconds_total", help: "User and system processor time.", type: "counter" },
      () => [[{}, cpuSeconds()]],
    ),
    metrics.watch({ name: "process_resident_memory_bytes", help: "Resident memory." }, () => [
      [{}, process.memoryUsage.rss()],
    ]),
    metrics.watch({ name: "process_start_time_seconds", help: "Start of the process, in Unix time." }, () => [
      [{}, startedAt],
    ]),
    metrics.watch(
      { name: "nodejs_eventloop_lag_seconds", help: "The longest a timer was late within the last half minute." },
      () => [[{}, lag.worstSeconds()]],
    ),
  ];
  return {
    [Symbol.dispose]() {
      lag.stop();
      for (const stop of stops) stop();
    },
  };
}

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

/** Two samples a second: `monitorEventLoopDelay` would wake an idle process a hundred times for the same answer. */
function createLagSampler(): { worstSeconds(): number; stop(): void } {
  const samples = new Float64Array(sampleCount);
  let next = 0;
  let due = performance.now() + sampleMs;
  const timer = setInterval(() => {
    const now = performance.now();
    samples[next] = Math.max(0, now - due) / 1000;
    next = (next + 1) % sampleCount;
    due = now + sampleMs;
  }, sampleMs);
  timer.unref();
  return { worstSeconds: () => Math.max(...samples), stop: () => clearInterval(timer) };
}
