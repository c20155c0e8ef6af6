import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { codeOf } from "../fault.ts";

/** Which process made a file, written so that it fits into the file's name. */
export interface ProcessMark {
  readonly pid: number;
  /** When the process started, in kernel ticks: tells it from a later process with the same pid. */
  readonly start: string;
  /** Where the pid is valid: this boot of this machine and this pid namespace. */
  readonly place: string;
}

/** `unknown`: it runs in another container or machine, or the system doesn't say; only a heartbeat can tell. */
export type Liveness = "alive" | "dead" | "unknown";

const pattern = /^(\d{1,10})_(\w{1,20})_(\w{1,80})$/;

export function formatMark(mark: ProcessMark): string {
  return `${mark.pid}_${mark.start}_${mark.place}`;
}

export function parseMark(text: string): ProcessMark | undefined {
  const [, pid, start, place] = pattern.exec(text) ?? [];
  return pid && start && place ? { pid: Number(pid), start, place } : undefined;
}

const ownMarks = new Map<string, ProcessMark>();

/** The mark of this process. `proc` is where the system lists its processes: `/proc` on Linux; other systems have none. */
export function ownMark(proc: string): ProcessMark {
  const known = ownMarks.get(proc);
  if (known !== undefined) return known;
  const mark = readOwnMark(proc) ?? { pid: process.pid, start: "0", place: toMarkPart(hostname()) };
  ownMarks.set(proc, mark);
  return mark;
}

function readOwnMark(proc: string): ProcessMark | undefined {
  const stat = readStat(proc, "self");
  // The /proc of another pid namespace lists us by another number, so its other pids are of no use.
  if (stat?.pid !== process.pid) return undefined;
  try {
    const boot = readFileSync(`${proc}/sys/kernel/random/boot_id`, "utf8").trim();
    return { pid: process.pid, start: stat.start, place: toMarkPart(boot + readlinkSync(`${proc}/self/ns/pid`)) };
  } catch {
    return undefined;
  }
}

export function judgeMark(mark: ProcessMark, own: ProcessMark, proc: string): Liveness {
  if (mark.place !== own.place) return "unknown";
  if (own.start === "0" || mark.start === "0") return isRunning(mark.pid) ? "unknown" : "dead";
  const stat = readStat(proc, String(mark.pid));
  return stat !== undefined && stat.start === mark.start && !stat.isEnding ? "alive" : "dead";
}

export interface ProcessStat {
  readonly pid: number;
  readonly start: string;
  /** It does nothing any more and is listed only until the system has cleaned up. */
  readonly isEnding: boolean;
  /** The system has cleaned up; only its exit code is left. */
  readonly isZombie: boolean;
}

/** `PF_EXITING` in the kernel's flags of a process. */
const exiting = 4;

/** proc(5): the command in field 2 may contain spaces and brackets, so fields are counted from its last bracket. */
export function readStat(proc: string, pid: string): ProcessStat | undefined {
  try {
    const text = readFileSync(`${proc}/${pid}/stat`, "latin1");
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    const [state, flags, start] = [fields[0], fields[6], fields[19]];
    if (state === undefined || start === undefined) return undefined;
    const isZombie = state === "Z" || state === "X";
    const isEnding = isZombie || (Number(flags) & exiting) !== 0;
    return { pid: Number.parseInt(text, 10), start, isEnding, isZombie };
  } catch {
    return undefined;
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === "EPERM";
  }
}

function toMarkPart(text: string): string {
  return text.replace(/\W/g, "").slice(0, 80) || "here";
}
