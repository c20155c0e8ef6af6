import { readdirSync, readFileSync } from "node:fs";
import { formatMark, judgeMark, ownMark, parseMark } from "./process-mark.ts";

/**
 * Every process we start carries who started it in its environment, and hands that on to whatever it starts. A process
 * group alone is not enough: `setsid` leaves it, the environment stays.
 */
const ownerVariable = "CLAWPORT_OWNER";
const serverVariable = "CLAWPORT_SERVER_RUN";

export function ownerEnv(run: string): Record<string, string> {
  return { [ownerVariable]: formatMark(ownMark("/proc")), [serverVariable]: run };
}

/**
 * Kills everything one run of a server left behind, and what that left behind itself: a server may be a hub with servers
 * of its own. Says how many there were.
 */
export function killRun(run: string): number {
  return killWhere((env) => env.get(serverVariable) === run || isOrphan(env));
}

/** Kills what processes of ours left behind that no longer live: they had no time to do it themselves. */
export function killOrphans(): number {
  return killWhere(isOrphan);
}

function isOrphan(env: ReadonlyMap<string, string>): boolean {
  const owner = parseMark(env.get(ownerVariable) ?? "");
  return owner !== undefined && judgeMark(owner, ownMark("/proc"), "/proc") === "dead";
}

/** A process may start another one while we look, and its death may make others orphans. */
const mostSweeps = 10;

/** Where there is no `/proc`, nothing is found; the process group has to do. */
function killWhere(isMeant: (env: ReadonlyMap<string, string>) => boolean): number {
  const killed = new Set<number>();
  for (let sweep = 0; sweep < mostSweeps; sweep++) {
    const found = pids().filter((pid) => pid !== process.pid && !killed.has(pid) && isMeant(environmentOf(pid)));
    if (found.length === 0) break;
    for (const pid of found) {
      killed.add(pid);
      try {
        process.kill(pid, "SIGKILL");
      } catch {
        // It went by itself, or is not ours to kill.
      }
    }
  }
  return killed.size;
}

function pids(): number[] {
  try {
    return readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []));
  } catch {
    return [];
  }
}

function environmentOf(pid: number): ReadonlyMap<string, string> {
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
