import { setTimeout as sleep } from "node:timers/promises";

/** Waits until something is so, for a while at most, so that a test that would hang says what it waited for. */
export async function until(
  isSo: () => boolean | Promise<boolean>,
  what = isSo.toString(),
  withinMs = 15_000,
): Promise<void> {
  const end = Date.now() + withinMs;
  while (!(await isSo())) {
    if (Date.now() > end) throw new Error(`Waited in vain: ${what}`);
    await sleep(2);
  }
}
