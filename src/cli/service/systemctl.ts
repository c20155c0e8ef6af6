import { execFile } from "node:child_process";
import { Fault } from "../../core/fault.ts";
import type { World } from "../world.ts";

const alternative = `run "clawport up" in a terminal that stays open (tmux, screen), or from your own init system`;

export interface SystemctlAnswer {
  readonly exit: number;
  readonly text: string;
}

/** Refuses, before anything is written, where no service manager of this user answers. */
export async function requireManager(world: World): Promise<void> {
  if (world.platform !== "linux") {
    const others: Record<string, string> = { darwin: "macOS (launchd)", win32: "Windows" };
    const here = others[world.platform] ?? world.platform;
    throw new Fault("unavailable", `services are made for systemd on Linux, not for ${here}; ${alternative}`);
  }
  const { exit, text } = await systemctl(world, "show", "--property=Version");
  if (exit !== 0)
    throw new Fault("unavailable", `systemd does not manage services of this user here; ${alternative}`, {
      detail: { exit, text },
    });
}

/** Asks the user's service manager. Its exit code is an answer, not a fault. */
export async function systemctl(world: World, ...args: string[]): Promise<SystemctlAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<SystemctlAnswer>();
  execFile("systemctl", ["--user", ...args], { env: { ...world.env }, timeout: 30_000 }, (error, stdout, stderr) => {
    if (error?.code === "ENOENT")
      return reject(new Fault("unavailable", `there is no systemctl here; ${alternative}`, { cause: error }));
    const exit = error === null ? 0 : typeof error.code === "number" ? error.code : 1;
    resolve({ exit, text: (stdout + stderr).trim() });
  });
  return promise;
}
