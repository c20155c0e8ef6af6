import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

/** OpenClaw holds it while it installs, removes, disables or reloads plugins. */
const leaseQuery = "SELECT 1 FROM state_leases WHERE scope = 'core:plugin-lifecycle' AND expires_at > ?";
const lookEveryMs = 250;
/** OpenClaw itself does not wait for it any longer. */
const patienceMs = 600_000;
/** How long it takes at most, usually. */
const usualMs = 15_000;

/**
 * Resolves when OpenClaw has finished what it is doing with plugins. It fails an `openclaw plugins uninstall` if someone
 * else writes its configuration in the meantime. If we can't read its state, as of another release, we wait `blindWaitMs`.
 */
export async function pluginsSettled(stateDir: string, blindWaitMs = usualMs): Promise<void> {
  const path = join(stateDir, "state", "openclaw.sqlite");
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const isBusy = await isLeaseHeld(path).catch(() => undefined);
    if (isBusy === undefined) return wait(blindWaitMs, undefined, { ref: false });
    if (!isBusy || performance.now() > deadline) return;
    await wait(lookEveryMs, undefined, { ref: false });
  }
}

async function isLeaseHeld(path: string): Promise<boolean> {
  const { DatabaseSync } = await import("node:sqlite");
  const database = new DatabaseSync(path, { readOnly: true, timeout: 1000 });
  try {
    return database.prepare(leaseQuery).get(Date.now()) !== undefined;
  } finally {
    database.close();
  }
}
