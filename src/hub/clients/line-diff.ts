import { commonEnds, type DiffRow } from "../../core/text/compare-lines.ts";
import { redactShapes } from "../../core/secrets/redact.ts";

const contextLines = 2;

/**
 * What an edit of one place changes, line by line. Lines around it, which may get a comma, can hold keys of other servers,
 * so their values are left out; and whatever looks like a secret is masked.
 */
export function diffLines(before: string, after: string): readonly DiffRow[] {
  const [old, now] = [splitLines(before), splitLines(after)];
  if (before === after) return [];
  const { head, tail } = commonEnds(old, now);
  const [removed, added] = [old.slice(head, old.length - tail), now.slice(head, now.length - tail)];
  // A line that gets a comma, or a file in one line, which gets longer.
  const isOther = (text: string) =>
    removed.some((one) => [one, `${one},`].includes(text) && added.includes(`${one},`)) ||
    (text.includes("{") && removed.some((one) => one.includes("{") && startsAlike(one, text)));
  const lines = (mark: DiffRow["mark"], texts: readonly string[]): DiffRow[] =>
    texts.map((text) => {
      const shown = text.slice(0, 2000);
      return { mark, text: redactShapes(mark === " " || isOther(text) ? withoutValues(shown) : shown) };
    });
  return [
    ...lines(" ", old.slice(Math.max(0, head - contextLines), head)),
    ...lines("-", removed),
    ...lines("+", added),
    ...lines(" ", old.slice(old.length - tail, Math.min(old.length, old.length - tail + contextLines))),
  ];
}

function startsAlike(one: string, other: string): boolean {
  return one.trim().slice(0, 20) === other.trim().slice(0, 20);
}

/** In JSON, TOML or YAML: what is no name of a setting, and no bracket. */
const quotedOrBare = /("(?:[^"\\]|\\.)*"?|'[^']*'?)(\s*[:=])?|(?<=[:=,[]\s*)[^\s"'{}[\],][^"'{}[\],]*(?=[\s,}\]]|$)/g;

function withoutValues(line: string): string {
  return line.replaceAll(quotedOrBare, (all, _quoted: string | undefined, sign: string | undefined) =>
    sign === undefined ? "…" : all,
  );
}

function splitLines(text: string): readonly string[] {
  return text === "" ? [] : text.replace(/\r?\n$/, "").split(/\r?\n/);
}
