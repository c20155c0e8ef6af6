import { readdirSync, readFileSync } from "node:fs";
import { sleep } from "../wait.ts";
import { formatMark, judgeMark, ownMark, parseMark } from "./process-mark.ts";

/**
 * Every process we start carries our mark in its environment, and passes it on to whatever it starts. A process group
 * alone is not enough: `setsid` leaves it, but keeps the environment. `env -i` loses the mark: only a PID namespace holds
 * what was started with it.
 */
const ownerVariable = "CLAWPORT_OWNER";
const runVariable = "CLAWPORT_SERVER_RUN";

/** The mark of one run of a program. */
export function markEnv(run: string): Record<string, string> {
  return { [ownerVariable]: formatMark(ownMark("/proc")), [runVariable]: run };
}

/** Kills everything left of one run, and what that left behind itself: the program may be a hub with servers of its own. */
export function killRun(run: string): number {
  return killWhere((env) => env.get(runVariable) === run || isOrphan(env));
}

/** Resolves when nothing of the run is left: a killed process is listed until the system has removed it. */
export async function killRunUntilGone(run: string): Promise<void> {
  for (let round = 0; killRun(run) > 0 && round < 200; round++) await sleep(5);
}

/** Kills what earlier processes of ours left behind because they died too suddenly to do it. Returns how many. */
export function killOrphans(): number {
  return killWhere(isOrphan);
}

function isOrphan(env: ReadonlyMap<string, string>): boolean {
  const owner = parseMark(env.get(ownerVariable) ?? "");
  return owner !== undefined && judgeMark(owner, ownMark("/proc"), "/proc") === "dead";
}

/** A process may start another one while we look, and its death may turn others into orphans. */
const maxSweeps = 10;

/** Finds nothing on systems without `/proc`; there the process group has to do. */
function killWhere(isMeant: (env: ReadonlyMap<string, string>) => boolean): number {
  const killed = new Set<number>();
  for (let sweep = 0; sweep < maxSweeps; sweep++) {
    const found = listPids().filter((pid) => pid !== process.pid && !killed.has(pid) && isMeant(ownVariables(pid)));
    if (found.length === 0) break;
    for (const pid of found) {
      killed.add(pid);
      try {
        process.kill(pid, "SIGKILL");
      } catch {
        // It has just ended, or belongs to another user.
      }
    }
  }
  return killed.size;
}

function listPids(): number[] {
  try {
    return readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []));
  } catch {
    return [];
  }
}

/** The `CLAWPORT_…` variables of a process. */
function ownVariables(pid: number): ReadonlyMap<string, string> {
  const env = new Map<string, string>();
  try {
    for (const entry of readFileSync(`/proc/${pid}/environ`, "latin1").split("\0")) {
      if (entry.startsWith("CLAWPORT_"))
        env.set(entry.slice(0, entry.indexOf("=")), entry.slice(entry.indexOf("=") + 1));
    }
  } catch {
    // Another user's process, or one that has just ended.
  }
  return env;
}
