import type { Source } from "./tool-source.ts";

/** One that says more says it in full where it is alone, at its own address. */
const longestOfOne = 2000;
/** All of it goes into every conversation of every client. */
const longestInAll = 12_000;

/** What several sources say about how to use them, each under its name; nothing where none says anything. */
export function mergeInstructions(sources: Iterable<Source>): string | undefined {
  const parts: string[] = [];
  const leftOut: string[] = [];
  let length = 0;
  for (const { id, instructions } of sources) {
    const text = instructions?.()?.trim() ?? "";
    if (text === "") continue;
    const part = `## ${id}\n\n${shortened(text)}`;
    if (length + part.length > longestInAll) {
      leftOut.push(id);
      continue;
    }
    parts.push(part);
    length += part.length;
  }
  if (leftOut.length > 0) parts.push(`(What these say is too long to stand here: ${shortened(leftOut.join(", "))})`);
  return parts.length === 0 ? undefined : parts.join("\n\n");
}

function shortened(text: string): string {
  return text.length <= longestOfOne ? text : `${text.slice(0, longestOfOne - 1).trimEnd()}…`;
}
