import { signal } from "@preact/signals";

const storageKey = "clawport-console";

/** The second half of the proof that this browser was let in: the cookie alone is shared with other ports. */
const secret = adoptSecret();

/** Whether the hub has refused this browser: the page then says how to get a new link. */
export const signedOut = signal(secret === "");

export function sessionHeaders(): Record<string, string> {
  return { "x-clawport-console": secret };
}

/** A sign-in link leaves the secret in the fragment, which no server sees. It is kept, and removed from the address. */
function adoptSecret(): string {
  const given = location.hash.slice(1);
  if (given.length < 20) return localStorage.getItem(storageKey) ?? "";
  localStorage.setItem(storageKey, given);
  history.replaceState(null, "", location.pathname + location.search);
  return given;
}
