import { writeFileSync } from "node:fs";

/**
 * Loaded into a hub before all else: measures the longest time in which its main thread worked without serving others.
 * Counts the time of the processor, so that a busy machine makes no difference. `SIGUSR2` writes it to a file and begins
 * anew.
 */
export interface Work {
  readonly maxMs: number;
  readonly allMs: number;
}

const file = process.env["LONGEST_TURN_FILE"];

function workedMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

if (file !== undefined) {
  let [began, last, maxMs] = [workedMs(), workedMs(), 0];
  setInterval(() => {
    const now = workedMs();
    maxMs = Math.max(maxMs, now - last);
    last = now;
  }, 1).unref();
  process.on("SIGUSR2", () => {
    writeFileSync(file, JSON.stringify({ maxMs, allMs: workedMs() - began } satisfies Work));
    [began, last, maxMs] = [workedMs(), workedMs(), 0];
  });
}
