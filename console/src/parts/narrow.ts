import { signal } from "@preact/signals";

const query = matchMedia("(max-width: 1000px)");

/** Whether a list and its detail share one column: the same width as in the styles. */
export const isNarrow = signal(query.matches);
query.addEventListener("change", () => (isNarrow.value = query.matches));
