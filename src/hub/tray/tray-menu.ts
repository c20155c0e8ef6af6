import { isFailure, isRefusal } from "../../catalog/audit/call-words.ts";
import { visibleText } from "../../core/text/peer-text.ts";
import type { ActiveRecording } from "../../sources/machine/desktop/recordings.ts";
import type { Presence } from "../control/queries/presence.ts";
import { clockTime, nameText, stateOf, statusLine, type TrayFacts } from "./tray-state.ts";

/** What a click does. */
export type TrayAction =
  | { readonly do: "open"; readonly page: string }
  | { readonly do: "deny"; readonly id: string }
  | { readonly do: "stop-recording"; readonly id: string }
  | { readonly do: "pause"; readonly minutes?: number }
  | { readonly do: "resume" }
  | { readonly do: "copy-endpoint"; readonly address: string }
  | { readonly do: "copy-token" }
  | { readonly do: "set-tools" | "set-gateway" | "start-with-session"; readonly on: boolean }
  | { readonly do: "quit" };

/** One line of the menu. Any system's tray can draw it: a text, a check mark, a line below it, a menu of its own. */
export type TrayItem =
  | { readonly kind: "separator" }
  | { readonly kind: "text"; readonly label: string }
  | { readonly kind: "action"; readonly label: string; readonly action: TrayAction; readonly checked?: boolean }
  | { readonly kind: "menu"; readonly label: string; readonly items: readonly TrayItem[] };

const separator: TrayItem = { kind: "separator" };
const text = (label: string): TrayItem => ({ kind: "text", label });
const act = (label: string, action: TrayAction): TrayItem => ({ kind: "action", label, action });
const menu = (label: string, items: readonly TrayItem[]): TrayItem => ({ kind: "menu", label, items });

const troubleItem = (trouble: string): TrayItem => text(visibleText(trouble, 100));

const maxQuestions = 8;

/** A menu can't show a whole call, and any program on the bus can click it: nothing here allows a call. */
export function menuOf(facts: TrayFacts): readonly TrayItem[] {
  const { hub, ownsNode, startsWithSession } = facts;
  const ending: readonly TrayItem[] = [
    toggle("Start with my session", "start-with-session", startsWithSession),
    act(ownsNode ? "Quit Clawport" : "Quit the tray", { do: "quit" }),
  ];
  if (hub === undefined) return [text(statusLine(facts)), text("Start it with `clawport up`"), separator, ...ending];
  return [
    text(statusLine(facts)),
    // One alone is the status line.
    ...(hub.troubles.length === 1 && stateOf(facts) === "trouble" ? [] : hub.troubles.slice(0, 3).map(troubleItem)),
    separator,
    ...recordingItems(hub.recordings),
    ...questionItems(hub),
    ...pauseItems(hub),
    menu("Last calls", hub.recent.length === 0 ? [text("None yet")] : hub.recent.map(callItem)),
    separator,
    ...consoleItems(hub),
    separator,
    ...switchItems(hub),
    ...ending,
  ];
}

function recordingItems(recordings: readonly ActiveRecording[]): readonly TrayItem[] {
  const items = [...Map.groupBy(recordings, ({ id }) => id)].map(([id, [first, ...more]]) => {
    const what = [first!, ...more].map((one) => one.what).join(" and ");
    const label = `Stop recording: ${what}, ${first!.tool} for ${nameText(first!.caller)}, since ${clockTime(first!.since)}, up to ${first!.seconds} s`;
    return act(label, { do: "stop-recording", id });
  });
  return items.length === 0 ? [] : [...items, separator];
}

function questionItems({ waiting, address }: Presence): readonly TrayItem[] {
  if (waiting.length === 0) return [];
  const items = waiting
    .slice(0, maxQuestions)
    .map(({ id, tool, caller }) =>
      menu(`${nameText(tool)}, asked by ${nameText(caller)}`, [
        ...(address === undefined ? [] : [act("Open", { do: "open", page: `approvals/${id}` })]),
        act("Deny", { do: "deny", id }),
      ]),
    );
  const rest = waiting.length - items.length;
  return [...items, ...(rest > 0 ? [text(`… and ${rest} more`)] : []), separator];
}

function pauseItems({ paused }: Presence): readonly TrayItem[] {
  if (paused !== undefined) return [act("Resume", { do: "resume" })];
  return [
    menu("Pause", [
      act("For 15 minutes", { do: "pause", minutes: 15 }),
      act("For an hour", { do: "pause", minutes: 60 }),
      act("Until I resume", { do: "pause" }),
    ]),
  ];
}

function callItem({ tool, caller, outcome, at }: Presence["recent"][number]): TrayItem {
  const word = isRefusal(outcome) ? "refused" : isFailure(outcome) ? "failed" : "ok";
  return text(`${clockTime(at)}  ${nameText(tool)}, ${nameText(caller)}: ${word}`);
}

function consoleItems({ address }: Presence): readonly TrayItem[] {
  if (address === undefined) return [text("No MCP clients are served")];
  return [
    act("Open the console", { do: "open", page: "" }),
    act("Connect a client …", { do: "open", page: "settings/clients" }),
    act("Copy the endpoint", { do: "copy-endpoint", address }),
    act("Copy the token", { do: "copy-token" }),
  ];
}

/** A node always offers this computer. */
function switchItems({ host, tools, gateway }: Presence): readonly TrayItem[] {
  const offered = host === "node" ? [] : [toggle("Offer this computer's tools", "set-tools", tools)];
  return [...offered, toggle("Node of the OpenClaw gateway", "set-gateway", gateway)];
}

function toggle(label: string, action: "set-tools" | "set-gateway" | "start-with-session", isOn: boolean): TrayItem {
  return { kind: "action", label, action: { do: action, on: !isOn }, checked: isOn };
}

/**
 * The question before an action that gives callers or programs more than they have; undefined for one that only takes away.
 * A click on a menu can come from any program on the bus, so the answer must come by another way.
 */
export function confirmationOf(action: TrayAction): string | undefined {
  switch (action.do) {
    case "resume":
      return "Resume? Callers can use your tools again.";
    case "copy-token":
      return "Copy the token? Who has it can use your tools. The clipboard is cleared after a minute.";
    case "set-tools":
      return action.on ? "Offer the tools of this computer to all clients of the hub?" : undefined;
    case "set-gateway":
      return action.on ? "Let the OpenClaw gateway use this computer?" : undefined;
    default:
      return undefined;
  }
}
