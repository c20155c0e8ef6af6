import { visibleText } from "../../../catalog/guard/visible-text.ts";
import type { ServerStatus } from "../server-status.ts";
import { spanText } from "./span-text.ts";

/** Where a server stands, in words. */
export function stateText(server: ServerStatus, { prefix, now }: { prefix: string; now: () => number }): string {
  const because = server.reason === undefined ? "" : `: ${visibleText(server.reason, 500)}`;
  switch (server.state) {
    case "ready":
      return openText(server);
    case "degraded":
      return `${openText(server)}, but not well${because}`;
    case "queued":
      return "Waiting (connects when it is called)";
    case "connecting":
      return server.lastError === undefined ? "Connecting" : `Connecting again: ${visibleText(server.lastError, 500)}`;
    case "reconnecting":
      return `Reconnecting${nextText(server, now())}${because}`;
    case "needs-sign-in":
      return `Needs sign-in${because}`;
    case "stopped":
      return `Stopped${because}`;
    case "disconnected":
      return `Disconnected (${prefix} connect ${server.name})`;
    case "disabled":
      return server.reason === undefined ? "Switched off (enabled: false)" : `Off${because}`;
    case "unusable":
      return `Wrong in the configuration${because}`;
    default:
      return server.state;
  }
}

function openText({ pid, address }: ServerStatus): string {
  if (pid !== undefined) return `Running (PID ${pid})`;
  return address.startsWith("stdio://") ? "Running" : "Connected";
}

function nextText({ nextAttempt }: ServerStatus, now: number): string {
  if (nextAttempt === undefined) return "";
  const wait = Date.parse(nextAttempt) - now;
  return wait > 0 ? ` in ${spanText(wait)}` : " now";
}
