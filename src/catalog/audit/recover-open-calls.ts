import { lstat, readdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { codeOf } from "../../core/fault.ts";
import { judgeMark, ownMark, parseMark } from "../../core/process/process-mark.ts";
import { type AuditLine, lineEnd, parseAuditLine, unfinished } from "./audit-line.ts";
import { openCallsName, touchEveryMs } from "./open-calls.ts";
import { readAuditBackwards } from "./read-audit-backwards.ts";

export interface RecoveryOptions {
  /** The audit. */
  readonly file: string;
  /** Where processes keep the calls that they have under way. */
  readonly folder: string;
  /** Adds lines to the audit, and returns when they are in it. */
  append(lines: readonly string[]): void;
}

/**
 * Writes a line for every call that was under way when its process was killed. Returns how many. Several processes may do
 * this at once, and each may be killed while it does: a file belongs to the one that renamed it, and a call that has its
 * line gets no other.
 */
export async function recoverOpenCalls({ file, folder, append }: RecoveryOptions): Promise<number> {
  let count = 0;
  for (const name of await readdir(folder).catch(() => [])) {
    if (!(await isLeftBehind(folder, name))) continue;
    const path = join(folder, openCallsName());
    try {
      await rename(join(folder, name), path);
    } catch (error) {
      if (codeOf(error) === "ENOENT") continue;
      throw error;
    }
    const starts = await withoutLine(file, readOpenCalls(await readFile(path, "utf8")));
    if (starts.length > 0) append(starts.map(unfinishedLine));
    await rm(path, { force: true });
    count += starts.length;
  }
  return count;
}

async function isLeftBehind(folder: string, name: string): Promise<boolean> {
  const mark = parseMark(name.slice(0, name.lastIndexOf(".")));
  if (mark === undefined) return false;
  const found = await lstat(join(folder, name)).catch(() => undefined);
  // Anything else was not written by a hub, and reading it may fail or never end.
  if (found?.isFile() !== true) return false;
  const liveness = judgeMark(mark, ownMark("/proc"), "/proc");
  return liveness === "unknown" ? Date.now() - found.mtimeMs > 5 * touchEveryMs : liveness === "dead";
}

interface OpenStart {
  /** How many calls with this beginning were written down. */
  begun: number;
  /** How many of them are over for certain. */
  ended: number;
}

/** By the beginning of their line. The last line may be cut off: its call was not sent. */
function readOpenCalls(text: string): Map<string, OpenStart> {
  const starts = new Map<string, OpenStart>();
  const byId = new Map<string, OpenStart>();
  for (const line of text.split("\n").slice(0, -1)) {
    if (line.startsWith("-")) {
      const ended = byId.get(line.slice(1));
      if (ended !== undefined) ended.ended++;
      continue;
    }
    const space = line.indexOf(" ");
    const start = line.slice(space + 1);
    const open = starts.get(start) ?? { begun: 0, ended: 0 };
    open.begun++;
    starts.set(start, open);
    byId.set(line.slice(1, space), open);
  }
  // What a damaged file has does not become a line.
  for (const [start, { begun, ended }] of starts)
    if (begun === ended || lineOf(start) === undefined) starts.delete(start);
  return starts;
}

/** Clocks of several processes on one machine differ by less. */
const slackMs = 10_000;

/** The beginnings of lines that the audit has no line for. A line is written when its call ends, so the newest come first. */
async function withoutLine(file: string, starts: Map<string, OpenStart>): Promise<readonly string[]> {
  const missing = new Map([...starts].map(([start, { begun }]) => [start, begun] as const));
  const first = Math.min(...[...missing.keys()].map((start) => Date.parse(lineOf(start)?.time ?? "") || Infinity));
  for await (const lines of missing.size === 0 ? [] : readAuditBackwards(file)) {
    for (const { text } of lines) {
      const start = text.slice(0, text.indexOf(lineEnd));
      const left = missing.get(start);
      if (left === undefined) continue;
      if (left > 1) missing.set(start, left - 1);
      else missing.delete(start);
    }
    const oldest = parseAuditLine(lines.at(-1)?.text ?? "");
    const endedAt = oldest === undefined ? Infinity : Date.parse(oldest.time) + oldest.ms;
    if (missing.size === 0 || endedAt < first - slackMs) break;
  }
  return [...missing].flatMap(([start, left]) =>
    Array.from({ length: Math.min(left, openOf(starts.get(start))) }, () => start),
  );
}

function openOf(start: OpenStart | undefined): number {
  return start === undefined ? 0 : start.begun - start.ended;
}

function unfinishedLine(start: string): string {
  return `${start}${lineEnd}0,"outcome":"${unfinished}","in":0,"out":0}\n`;
}

function lineOf(start: string): AuditLine | undefined {
  return parseAuditLine(unfinishedLine(start));
}
