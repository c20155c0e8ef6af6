import { setTimeout as sleep } from "node:timers/promises";

/** Waits until a condition holds, up to a limit, so that a test that would hang says what it waited for. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  what = condition.toString(),
  withinMs = 15_000,
): Promise<void> {
  const end = Date.now() + withinMs;
  while (!(await condition())) {
    if (Date.now() > end) throw new Error(`Timed out waiting for: ${what}`);
    await sleep(2);
  }
}
