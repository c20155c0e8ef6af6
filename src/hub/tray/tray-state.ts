import { countText } from "../../core/text/count-text.ts";
import { visibleText } from "../../core/text/peer-text.ts";
import type { Presence } from "../control/queries/presence.ts";

/** Everything that a tray shows follows from this. */
export interface TrayFacts {
  /** What the hub or node says; undefined while none runs. */
  readonly hub: Presence | undefined;
  /** Whether quitting ends the node, too: it runs in the same process. */
  readonly ownsNode: boolean;
  /** Whether it starts with the user's session. */
  readonly startsWithSession: boolean;
}

export const trayStates = ["stopped", "listening", "paused", "working", "asks", "recording", "trouble"] as const;
export type TrayState = (typeof trayStates)[number];

/** One state of several that may hold: what the user must not miss comes first. */
export function stateOf({ hub }: Pick<TrayFacts, "hub">): TrayState {
  if (hub === undefined) return "stopped";
  if (hub.recordings.length > 0) return "recording";
  if (hub.waiting.length > 0) return "asks";
  if (hub.paused !== undefined) return "paused";
  if (hub.troubles.length > 0) return "trouble";
  return hub.running > 0 ? "working" : "listening";
}

const maxNameLength = 60;
/** A name from outside on one line of a menu or a tooltip. */
export const nameText = (name: string): string => visibleText(name.replaceAll(/\s+/g, " "), maxNameLength);

/** The state in one line. Some panels show nothing else of a tooltip. */
export function statusLine(facts: TrayFacts): string {
  const { hub } = facts;
  if (hub === undefined) return "Clawport is not running";
  switch (stateOf(facts)) {
    case "recording":
      return `Recording: ${[...new Set(hub.recordings.map(({ what, caller }) => `${what}, for ${nameText(caller)}`))].join("; ")}`;
    case "asks":
      return `${countText(hub.waiting.length, "call")} ${hub.waiting.length === 1 ? "waits" : "wait"} for your approval`;
    case "paused":
      return hub.paused?.until === undefined
        ? "Paused until you resume"
        : `Paused until ${clockTime(hub.paused.until)}`;
    case "trouble":
      return hub.troubles.length === 1 ? visibleText(hub.troubles[0]!, 120) : `${hub.troubles.length} things need you`;
    case "working":
      return `${countText(hub.running, "call")} running`;
    default:
      return hub.address === undefined ? "Connected to the gateway" : `Listening at ${hub.address}`;
  }
}

/** The user's own time of day. */
export function clockTime(iso: string): string {
  const at = new Date(iso);
  return `${String(at.getHours()).padStart(2, "0")}:${String(at.getMinutes()).padStart(2, "0")}`;
}
