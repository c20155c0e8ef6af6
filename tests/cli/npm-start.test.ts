import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { until } from "../support/until.ts";
import { isWindows, makePlace } from "../support/cli/run-clawport.ts";

vi.setConfig({ testTimeout: 60_000 });

test.skipIf(isWindows)("ending npm start ends the hub (needs POSIX signals)", async () => {
  await using place = await makePlace();
  const record = join(place.home, "hub.json");
  const root = join(import.meta.dirname, "../..");
  // Its own process group, so that everything left of it can be ended.
  const npm = spawn("npm", ["start", "--", "--port", "0"], { env: place.env, cwd: root, detached: true });
  const ended = once(npm, "exit");
  try {
    await until(() => existsSync(record) || npm.exitCode !== null, "a hub", 45_000);
    const { pid } = JSON.parse(await readFile(record, "utf8")) as { pid: number };
    npm.kill("SIGTERM");
    await ended;
    await until(() => !isRunning(pid), "the end of the hub");
    expect(existsSync(record)).toBe(false);
  } finally {
    if (isRunning(-npm.pid!)) process.kill(-npm.pid!, "SIGKILL");
  }
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
