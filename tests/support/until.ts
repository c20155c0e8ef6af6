import { setTimeout as sleep } from "node:timers/promises";

/** Waits until something is so, for at most ten seconds. */
export async function until(isSo: () => boolean, what = isSo.toString()): Promise<void> {
  const end = Date.now() + 10_000;
  while (!isSo()) {
    if (Date.now() > end) throw new Error(`Waited in vain: ${what}`);
    await sleep(2);
  }
}
