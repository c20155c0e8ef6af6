import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { codeOf } from "../fault.ts";

/** Which process made a file, written so that it fits into the file's name. */
export interface ProcessMark {
  readonly pid: number;
  /** When the process started, in the kernel's ticks; tells a process from a later one with the same pid. */
  readonly start: string;
  /** Where the pid means something: this boot of this machine and this pid namespace. */
  readonly place: string;
}

/** `unknown`: made in another container or machine, or the system doesn't say; only a heartbeat can tell. */
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

/** The mark of this process. `proc` is where the system shows its processes; `/proc` on Linux, nowhere on others. */
export function ownMark(proc: string): ProcessMark {
  const known = ownMarks.get(proc);
  if (known !== undefined) return known;
  const mark = readOwnMark(proc) ?? { pid: process.pid, start: "0", place: toMarkPart(hostname()) };
  ownMarks.set(proc, mark);
  return mark;
}

function readOwnMark(proc: string): ProcessMark | undefined {
  const stat = readStat(proc, "self");
  // A /proc of another pid namespace shows us under another number: what it says about other pids is no use then.
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

interface ProcessStat {
  readonly pid: number;
  readonly start: string;
  /** Nothing it was told to do will be done any more; it is there only until the system has tidied up. */
  readonly isEnding: boolean;
}

/** `PF_EXITING` in the kernel's flags of a process. */
const exiting = 4;

/** proc(5): the command in field 2 may hold spaces and brackets, so fields are counted from its last bracket on. */
function readStat(proc: string, pid: string): ProcessStat | undefined {
  try {
    const text = readFileSync(`${proc}/${pid}/stat`, "latin1");
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    const [state, flags, start] = [fields[0], fields[6], fields[19]];
    if (state === undefined || start === undefined) return undefined;
    const isEnding = state === "Z" || state === "X" || (Number(flags) & exiting) !== 0;
    return { pid: Number.parseInt(text, 10), start, isEnding };
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
