import { readdirSync, readFileSync } from "node:fs";

/** User and system time of a process with all its threads, in ms. The kernel counts in ticks of 10 ms. */
export function cpuMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  // The second field is the name in parentheses, which may hold blanks: count from behind it.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

export function residentMb(pid: number): number {
  return statusMb(pid, "VmRSS");
}

export function peakResidentMb(pid: number): number {
  return statusMb(pid, "VmHWM");
}

function statusMb(pid: number, field: string): number {
  const found = new RegExp(`^${field}:\\s+(\\d+) kB$`, "m").exec(readFileSync(`/proc/${pid}/status`, "utf8"));
  return Number(found?.[1]) / 1024;
}

/** Whoever has this text in its command line. */
export function pidsNaming(text: string): readonly number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && commandLine(name).includes(text))
    .map(Number);
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    // It has ended in the meantime.
    return "";
  }
}
