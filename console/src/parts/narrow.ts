import { type ReadonlySignal, signal } from "@preact/signals";

/** Whether a list and its detail share one column: the same width as in the styles. */
export const isNarrow = matching("(max-width: 1000px)");
/** Whether the columns of a row become lines: the same width as in the styles. */
export const isSmall = matching("(max-width: 760px)");

function matching(condition: string): ReadonlySignal<boolean> {
  const query = matchMedia(condition);
  const matches = signal(query.matches);
  query.addEventListener("change", () => (matches.value = query.matches));
  return matches;
}
