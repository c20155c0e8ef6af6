import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

/** The pids of the processes that have this word in their command line, as this process sees them. */
export function pidsRunning(word: string): number[] {
  if (process.platform !== "linux") return pidsListed(word);
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && commandLine(name).includes(word))
    .map(Number);
}

/** Empty for a zombie and for a process that has just ended. */
function commandLine(pid: string): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "latin1").split("\0");
  } catch {
    return [];
  }
}

function pidsListed(word: string): number[] {
  const lines = execFileSync("ps", ["-axo", "pid=,command="], { encoding: "utf8" }).split("\n");
  return lines.filter((line) => line.split(/\s+/).includes(word)).map((line) => Number.parseInt(line, 10));
}
