import { visibleText } from "../../core/text/peer-text.ts";
import { serverStateRow, serverWord } from "../../core/server-states.ts";
import type { ServerStatus } from "./server-status.ts";
import { spanText } from "../../core/text/span-text.ts";

/** The state of a server, in words. */
export function stateText(server: ServerStatus, { prefix, now }: { prefix: string; now: () => number }): string {
  const { state, reason, lastError } = server;
  const word = serverWord(server);
  const because = reason === undefined ? "" : `: ${visibleText(reason, 500)}`;
  switch (state) {
    case "ready":
    case "degraded":
      return `${word}${pidText(server)}${because}`;
    case "queued":
      return `${word} (connects with its first call)`;
    case "sleeping":
      return `${word} (starts with its next call)`;
    case "connecting":
      return lastError === undefined ? word : `${serverStateRow("reconnecting").word}: ${visibleText(lastError, 500)}`;
    case "reconnecting":
      return `${word}${nextText(server, now())}${because}`;
    case "disconnected":
      return `${word} (run \`${prefix} connect ${server.name}\`)`;
    case "disabled":
      return reason === undefined ? `${word} (enabled: false)` : `${word}${because}`;
    default:
      return `${word}${because}`;
  }
}

function pidText({ pid }: ServerStatus): string {
  return pid === undefined ? "" : ` (PID ${pid})`;
}

function nextText({ nextAttempt }: ServerStatus, now: number): string {
  if (nextAttempt === undefined) return "";
  const wait = Date.parse(nextAttempt) - now;
  return wait > 0 ? ` in ${spanText(wait)}` : " now";
}

/** How a server is authenticated, in words: `OAuth (expires 2h)`. */
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

/** Whether its tools can be called without connecting first. */
export function isOpenState({ state }: ServerStatus): boolean {
  return state === "ready" || state === "degraded";
}
