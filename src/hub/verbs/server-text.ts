import { visibleText } from "../../core/peer-text.ts";
import type { ServerStatus } from "../../sources/servers/server-status.ts";

/** The state of a server, in words. */
export function stateText(server: ServerStatus, { prefix, now }: { prefix: string; now: () => number }): string {
  const because = server.reason === undefined ? "" : `: ${visibleText(server.reason, 500)}`;
  switch (server.state) {
    case "ready":
      return openText(server);
    case "degraded":
      return `Degraded${pidText(server)}${because}`;
    case "queued":
      return "Queued (connects with its first call)";
    case "sleeping":
      return "Sleeping (starts with its next call)";
    case "connecting":
      return server.lastError === undefined ? "Connecting" : `Reconnecting: ${visibleText(server.lastError, 500)}`;
    case "reconnecting":
      return `Reconnecting${nextText(server, now())}${because}`;
    case "needs-sign-in":
      return `Needs sign-in${because}`;
    case "stopped":
      return `Stopped${because}`;
    case "disconnected":
      return `Disconnected (run \`${prefix} connect ${server.name}\`)`;
    case "disabled":
      return server.reason === undefined ? "Disabled (enabled: false)" : `Off${because}`;
    case "unusable":
      return `Invalid configuration${because}`;
    default:
      return server.state;
  }
}

function openText(server: ServerStatus): string {
  const isProcess = server.pid !== undefined || server.address.startsWith("stdio://");
  return isProcess ? `Running${pidText(server)}` : "Connected";
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

/** A duration in its largest unit: `12 s`, `3 min`, `2 h`, `5 d`. */
export function spanText(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  if (seconds < 90) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 90) return `${minutes} min`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} d`;
}

/** Whether its tools can be called without connecting first. */
export function isOpenState({ state }: ServerStatus): boolean {
  return state === "ready" || state === "degraded";
}
