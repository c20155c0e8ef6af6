import { setTimeout as sleep } from "node:timers/promises";

/** Waits until something is so, for a while at most, so that a test that would hang fails instead. */
export async function waitFor(isSo: () => boolean | Promise<boolean>, withinMs = 15_000): Promise<void> {
  const end = Date.now() + withinMs;
  while (!(await isSo())) {
    if (Date.now() > end) throw new Error(`still not so after ${withinMs} ms: ${isSo.toString()}`);
    await sleep(10);
  }
}
