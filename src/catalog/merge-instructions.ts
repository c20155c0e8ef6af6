import type { Source } from "./source.ts";

/** The merged text goes into every conversation of every client, and some clients cut it here. */
const maxInstructionsBytes = 2048;
/** Less of a text than this helps no one. */
const leastOfOne = 80;
const maxTitleLength = 100;
/** What the note about sources that were left out may take. */
const noteBytes = 200;

interface Section {
  readonly title: string;
  readonly text: string;
}

/**
 * The instructions of several sources, each under its name; undefined if no source has any. Equal texts come once. Those
 * that need less than their share leave the rest to the others, and the view of each source has its own in full.
 */
export function mergeInstructions(
  sources: Iterable<Source>,
  maxBytes: number = maxInstructionsBytes,
): string | undefined {
  const all = sectionsOf(sources);
  if (all.length === 0) return undefined;
  const fitting = all.slice(0, maxSections(all, maxBytes));
  const leftOut = all.slice(fitting.length).map(({ title }) => title);
  const note = leftOut.length === 0 ? "" : noteOf(leftOut);
  const budget = maxBytes - fitting.reduce((sum, { title }) => sum + headBytes(title), 0) - Buffer.byteLength(note);
  const shares = sharesOf(
    fitting.map(({ text }) => Buffer.byteLength(text)),
    budget,
  );
  const parts = fitting.map(({ title, text }, index) => `${headOf(title)}${cutText(text, shares[index]!)}`);
  return [...parts, ...(note === "" ? [] : [note])].join("\n\n");
}

function sectionsOf(sources: Iterable<Source>): Section[] {
  const idsOf = new Map<string, string[]>();
  for (const { id, instructions } of sources) {
    const text = instructions?.()?.trim() ?? "";
    const ids = idsOf.get(text);
    if (ids === undefined) idsOf.set(text, [id]);
    else ids.push(id);
  }
  idsOf.delete("");
  return Array.from(idsOf, ([text, ids]) => ({ title: cutText(ids.join(", "), maxTitleLength), text }));
}

function headOf(title: string): string {
  return `## ${title}\n\n`;
}

/** With the empty line between two sections. */
function headBytes(title: string): number {
  return Buffer.byteLength(headOf(title)) + 2;
}

/** How many sections get at least the least of a text; at least one. */
function maxSections(sections: readonly Section[], maxBytes: number): number {
  const least = ({ title, text }: Section): number => headBytes(title) + Math.min(leastOfOne, Buffer.byteLength(text));
  let used = 0;
  for (const [index, section] of sections.entries()) {
    used += least(section);
    const isLast = index === sections.length - 1;
    if (used > maxBytes - (isLast ? 0 : noteBytes)) return Math.max(index, 1);
  }
  return sections.length;
}

/** Equal shares, but no one gets more than it needs. */
function sharesOf(needs: readonly number[], budget: number): readonly number[] {
  const shares = needs.map(() => 0);
  let left = Math.max(budget, 0);
  const byNeed = needs.map((need, index) => ({ need, index })).sort((a, b) => a.need - b.need);
  for (const [place, { need, index }] of byNeed.entries()) {
    shares[index] = Math.min(need, Math.floor(left / (byNeed.length - place)));
    left -= shares[index];
  }
  return shares;
}

function noteOf(leftOut: readonly string[]): string {
  return `(Left out because there is too much text: ${cutText(leftOut.join(", "), noteBytes - 60)})`;
}

/** At most this many bytes of a text, up to the end of a sentence or a line if there is one near. */
export function cutText(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return text;
  // A character that is cut in two becomes U+FFFD.
  const cut = bytes
    .subarray(0, Math.max(maxBytes - 3, 0))
    .toString()
    .replace(/\uFFFD+$/, "");
  const end = Math.max(cut.lastIndexOf(". ") + 1, cut.lastIndexOf("\n"));
  return `${(end > cut.length * 0.6 ? cut.slice(0, end) : cut).trimEnd()}…`;
}
