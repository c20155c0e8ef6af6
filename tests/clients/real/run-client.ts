import { spawn } from "node:child_process";
import { once } from "node:events";
import type { Place } from "../../support/cli/run-clawport.ts";

const patienceMs = 200_000;

/** Runs a client's program to its end, in the folder and with the variables of the place. Returns what it printed. */
export async function runClient(place: Place, program: string, args: readonly string[]): Promise<string> {
  const [command, ...first] = /\.[cm]?js$/.test(program) ? [process.execPath, program] : [program];
  const child = spawn(command, [...first, ...args], {
    cwd: place.folder,
    env: place.env,
    stdio: ["ignore", "pipe", "pipe"],
    // Its own process group, so that everything left of it can be ended.
    detached: true,
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk));
  const timer = setTimeout(() => endGroup(child.pid), patienceMs);
  try {
    await once(child, "exit");
    return output;
  } finally {
    clearTimeout(timer);
    endGroup(child.pid);
  }
}

function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch {
    // All of it is gone.
  }
}
