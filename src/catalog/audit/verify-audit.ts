import { basename } from "node:path";
import { hashText, readLink } from "./audit-chain.ts";
import { parseAuditLine } from "./audit-line.ts";
import { type FileLine, readLines } from "./read-audit.ts";

/** Whether the audit is as it was written. */
export interface AuditVerification {
  readonly ok: boolean;
  readonly lines: number;
  /** How many of the lines are part of the chain. */
  readonly chained: number;
  /** How many lines come before the chain and after it. */
  readonly unchainedAtStart: number;
  readonly unchainedAtEnd: number;
  /** Whether the first line follows lines that are no longer kept. */
  readonly continues: boolean;
  /** The hash of the last line of the chain. */
  readonly last?: string;
  readonly breaks: readonly ChainBreak[];
  /** Lines that were cut off because a process was killed while it wrote. They do not break the chain. */
  readonly cuts: readonly LinePlace[];
}

export interface LinePlace {
  readonly file: string;
  readonly line: number;
}

export interface ChainBreak extends LinePlace {
  /**
   * `changed`: the line is not as it was written. `missing`: a line that it follows was removed or moved. `added`: it has
   * no hash and no later line follows it, or it is there twice.
   */
  readonly problem: "changed" | "missing" | "added";
}

/** Reads all lines that are kept, and checks that none was changed, removed, added or moved. */
export async function verifyAudit(file: string): Promise<AuditVerification> {
  const checker = createChainChecker();
  for await (const line of readLines({ file })) if (line.text !== "") checker.take(line);
  return checker.end();
}

/** How far from the first line that is kept a line may follow lines that are no longer kept. */
const maxDoubtfulLines = 5000;
/** No line follows one that is farther back. */
const maxKnown = 100_000;

interface OpenLine {
  readonly index: number;
  readonly place: LinePlace;
  /** `plain`: whole, but without a link. `cut`: not whole. */
  readonly kind: "chained" | "plain" | "cut";
}

function createChainChecker(): { take(line: FileLine): void; end(): AuditVerification } {
  const breaks: (ChainBreak & { readonly index: number })[] = [];
  /**
   * Near the first line that is kept. It may follow a line that was written to the file before while another process
   * rotated it. If a line was removed instead, then no line follows the one before that.
   */
  const doubtful: typeof breaks = [];
  const cuts: LinePlace[] = [];
  const known = new Set<string>();
  /** The hashes of lines that seem to be no longer kept. */
  const gone = new Set<string>();
  /** Lines that no later line follows. */
  const open = new Map<string, OpenLine>();
  let [lines, chained, firstChained, lastChained] = [0, 0, Infinity, -1];
  let [hasStart, endsCut] = [false, false];
  let last: string | undefined;

  function add(hash: string, line: OpenLine): void {
    known.add(hash);
    if (known.size > maxKnown) known.delete(known.values().next().value!);
    open.set(hash, line);
  }

  function follow(hash: string): void {
    const line = open.get(hash);
    if (line?.kind === "cut") cuts.push(line.place);
    open.delete(hash);
  }

  /** Where the lines that a line follows are. They may have been in a file that is no longer kept. */
  function locate(prev: readonly string[], index: number): "here" | "gone" | "perhaps gone" | "missing" {
    if (index === 0) hasStart = prev.length === 0;
    const isNearStart = index < maxDoubtfulLines;
    // Several processes may begin an audit at the same moment.
    if (prev.length === 0) return hasStart && isNearStart ? "here" : "missing";
    const absent = prev.filter((hash) => !known.has(hash));
    if (absent.length === 0) return "here";
    const isExpected = index === 0 || absent.every((hash) => gone.has(hash));
    if (!isExpected && (hasStart || gone.size === 0 || !isNearStart)) return "missing";
    for (const hash of absent) gone.add(hash);
    return isExpected || absent.length < prev.length ? "gone" : "perhaps gone";
  }

  return {
    take({ text, path, number, isCut }) {
      const index = lines++;
      const place = { file: basename(path), line: number };
      endsCut = isCut;
      const link = isCut ? undefined : readLink(text);
      if (link === undefined) {
        const isPlain = !isCut && parseAuditLine(text) !== undefined;
        if (isPlain) for (const hash of open.keys()) follow(hash);
        return add(hashText(text), { index, place, kind: isPlain ? "plain" : "cut" });
      }
      const { content, prev, hash } = link;
      const where = locate(prev, index);
      if (hashText(content) !== hash) breaks.push({ ...place, index, problem: "changed" });
      else if (known.has(hash)) breaks.push({ ...place, index, problem: "added" });
      else if (where === "missing" || gone.has(hash)) breaks.push({ ...place, index, problem: "missing" });
      else if (where === "perhaps gone") doubtful.push({ ...place, index, problem: "missing" });
      prev.forEach(follow);
      add(hash, { index, place, kind: "chained" });
      firstChained = Math.min(firstChained, index);
      lastChained = index;
      last = hash;
      chained++;
    },

    end() {
      let unchainedAtEnd = 0;
      const firstOpen = Math.min(...[...open.values()].map(({ index }) => index));
      breaks.push(...doubtful.filter(({ index }) => index > firstOpen));
      for (const { index, place, kind } of open.values()) {
        if (kind === "cut" && endsCut && index === lines - 1) cuts.push(place);
        else if (kind !== "chained" && index > lastChained && chained > 0) unchainedAtEnd = lines - 1 - lastChained;
        else if (kind !== "chained" && index > firstChained) breaks.push({ ...place, index, problem: "added" });
      }
      breaks.sort((one, other) => one.index - other.index);
      return {
        ok: breaks.length === 0 && (chained > 0 || lines === cuts.length),
        lines,
        chained,
        unchainedAtStart: chained === 0 ? lines : firstChained,
        unchainedAtEnd,
        continues: gone.size > 0,
        ...(last !== undefined && { last }),
        breaks: breaks.map(({ file, line, problem }) => ({ file, line, problem })),
        cuts,
      };
    },
  };
}
