import { Fault } from "../../../../core/fault.ts";

/** The query of a callback out of what a person pasted: the whole address, its query, or the bare code. */
export function parseCallback(text: string): URLSearchParams {
  const typed = text.trim();
  const url = /^https?:\/\//i.test(typed) ? URL.parse(typed) : null;
  const query =
    url?.searchParams ?? (typed.includes("=") ? new URLSearchParams(typed.replace(/^[^?]*\?/, "")) : undefined);
  if (query === undefined) {
    if (/^[!-~]+$/.test(typed)) return new URLSearchParams({ code: typed });
    throw new Fault("usage", "That is neither a code nor the address that the browser was sent to.");
  }
  if (query.has("code") || query.has("error")) return query;
  // A code may hold the sign itself.
  if (url === null && /^[!-~]+$/.test(typed) && !typed.includes("&")) return new URLSearchParams({ code: typed });
  throw new Fault(
    "usage",
    "There is no code in that address. Copy all of it from the browser, after you agreed there.",
  );
}
