import type { ServerStatus } from "../server-status.ts";

/** How a server is signed in to, in words: `OAuth (expires 2h)`. */
export function authText({ auth, signedInUntil, state }: ServerStatus, now: number): string {
  if (auth !== "OAuth") return auth;
  if (state === "needs-sign-in") return "OAuth (not signed in)";
  return signedInUntil === undefined ? auth : `${auth} (${expiryText(Date.parse(signedInUntil), now)})`;
}

/** `expires 2h`, in the largest unit. */
export function expiryText(at: number, now: number): string {
  const seconds = Math.round((at - now) / 1000);
  if (seconds <= 0) return "expired";
  if (seconds < 90) return `expires ${seconds}s`;
  if (seconds < 90 * 60) return `expires ${Math.round(seconds / 60)}m`;
  const hours = Math.round(seconds / 3600);
  return hours < 48 ? `expires ${hours}h` : `expires ${Math.round(hours / 24)}d`;
}
