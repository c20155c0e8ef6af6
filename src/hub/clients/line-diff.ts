import { redactShapes } from "../../core/secrets/redact.ts";

/** One line of a difference: added, removed, or shown for orientation. */
export interface DiffLine {
  readonly mark: "+" | "-" | " ";
  readonly text: string;
}

const contextLines = 2;

/**
 * What an edit of one place changes, line by line. Lines around it, which may get a comma, can hold keys of other servers,
 * so whatever looks like a secret is masked.
 */
export function diffLines(before: string, after: string): readonly DiffLine[] {
  const [old, now] = [splitLines(before), splitLines(after)];
  if (before === after) return [];
  let head = 0;
  while (head < old.length && head < now.length && old[head] === now[head]) head++;
  let tail = 0;
  while (tail < old.length - head && tail < now.length - head && old.at(-1 - tail) === now.at(-1 - tail)) tail++;
  const lines = (mark: DiffLine["mark"], texts: readonly string[]): DiffLine[] =>
    texts.map((text) => ({ mark, text: redactShapes(text.slice(0, 2000)) }));
  return [
    ...lines(" ", old.slice(Math.max(0, head - contextLines), head)),
    ...lines("-", old.slice(head, old.length - tail)),
    ...lines("+", now.slice(head, now.length - tail)),
    ...lines(" ", old.slice(old.length - tail, Math.min(old.length, old.length - tail + contextLines))),
  ];
}

function splitLines(text: string): readonly string[] {
  return text === "" ? [] : text.replace(/\r?\n$/, "").split(/\r?\n/);
}
