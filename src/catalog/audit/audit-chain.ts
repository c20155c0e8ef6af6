import { hash } from "node:crypto";
import type { FoundLines } from "../../core/files/rotating-file.ts";
import { parseAuditLine } from "./audit-line.ts";

/**
 * Links every line to the line before it. If two processes write at the same moment, two lines follow the same one; the
 * next line then follows both, so that no line can be removed from between others unnoticed.
 */
export interface AuditChain {
  /** Takes note of lines that are in the file already. */
  find(found: FoundLines): void;
  /** The text of new lines with the links added, in the order in which they are to be written. */
  link(lines: readonly string[]): string;
  /** The lines of the last `link` are in the file. */
  written(): void;
}

/** Only rubbish in the file makes them more. */
const maxHeads = 100;

export function createAuditChain(): AuditChain {
  /** The hashes of the lines that no other line follows yet. */
  let heads = new Set<string>();
  let newest: string | undefined;
  return {
    find({ text, isTail }) {
      if (isTail) heads = new Set();
      for (const line of text.split("\n")) {
        if (line === "") continue;
        const link = readLink(line);
        for (const followed of link?.prev ?? []) heads.delete(followed);
        // A line of a process without the chain counts as one that follows all others.
        if (link === undefined && parseAuditLine(line) !== undefined) heads.clear();
        heads.add(link?.hash ?? hashText(line));
      }
    },
    link(lines) {
      let prev = [...heads].slice(-maxHeads).join(" ");
      let text = "";
      for (const line of lines) {
        const content = `${line.slice(0, line.lastIndexOf("}"))},"prev":"${prev}"`;
        prev = hashText(content);
        text += `${content},"hash":"${prev}"}\n`;
      }
      newest = prev;
      return text;
    },
    written() {
      if (newest !== undefined) heads = new Set([newest]);
    },
  };
}

export interface ChainLink {
  /** What `hash` is the hash of: the line up to it. */
  readonly content: string;
  /** The hashes of the lines that it follows; none for the first line of all. */
  readonly prev: readonly string[];
  readonly hash: string;
}

const linkPattern = /^(.*,"prev":"([0-9a-f ]*)"),"hash":"([0-9a-f]{32})"\}$/;

/** Undefined if the line has no link. Does not check the hash. */
export function readLink(line: string): ChainLink | undefined {
  const [, content, prev, hash] = linkPattern.exec(line) ?? [];
  if (content === undefined || prev === undefined || hash === undefined) return undefined;
  return { content, prev: prev.split(" ").filter(Boolean), hash };
}

/** The first 32 hexadecimal digits of the SHA-256. */
export function hashText(text: string): string {
  return hash("sha256", text).slice(0, 32);
}
