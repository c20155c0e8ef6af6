import type { ApprovalAnswer, Choice } from "../../catalog/advice.ts";
import type { Asker } from "../../catalog/guard/askers.ts";
import { visibleText } from "../../core/text/peer-text.ts";
import { fitsWhole, shownLines } from "../../core/text/shown-text.ts";
import type { Notifications } from "./notifications.ts";

const labels: Readonly<Record<ApprovalAnswer | "open", string>> = {
  open: "Open it",
  once: "Allow once",
  always: "Always allow",
  never: "Never allow",
  no: "Deny",
};

const lookEveryMs = 30_000;
const maxNameLength = 100;
/** What every daemon shows of a notification; some show more. */
const room = { maxLength: 500, maxLines: 10 };

export interface DesktopAskerOptions {
  readonly clock?: () => number;
  /** Opens a call that waits where all of it can be seen; undefined if there is no such place. */
  readonly openCall?: (id: string) => (() => Promise<unknown>) | undefined;
}

/**
 * Asks the user on the desktop, by a notification with buttons. What does not fit into one can be denied there, or opened
 * elsewhere, but not allowed.
 */
export function createDesktopAsker(
  notifications: Notifications,
  { clock = Date.now, openCall }: DesktopAskerOptions = {},
): Asker & {
  /** Finds out whether there is a desktop that can ask. */
  probe(): Promise<void>;
  /** Looks again unless a desktop was found: its daemon may have started after the node. For the moment before a question. */
  find(): Promise<void>;
} {
  let canAsk = false;
  let lookedAt = -Infinity;
  let probing: Promise<void> | undefined;

  async function probeNow(): Promise<void> {
    lookedAt = clock();
    canAsk = await notifications.hasButtons().catch(() => false);
  }

  const probe = (): Promise<void> => (probing ??= probeNow().finally(() => (probing = undefined)));

  return {
    id: "desktop",
    kind: "desktop",
    probe,
    find: async () => (canAsk ? undefined : probe()),
    /** What was seen at the last look; a desktop may come and go. */
    available() {
      if (clock() - lookedAt > lookEveryMs) void probe();
      return canAsk;
    },
    async ask({ id, text, choices, tool, source }, signal) {
      const isWhole = fitsWhole(text, room);
      const open = isWhole || id === undefined ? undefined : openCall?.(id);
      const answers: readonly (ApprovalAnswer | "open")[] = isWhole
        ? [...choices.filter(isOffered), "no"]
        : [...(open === undefined ? [] : ["open" as const]), "no"];
      const { button } = await notifications.show(
        {
          title: `Allow ${visibleText(tool, maxNameLength)}?`,
          body: isWhole ? shownLines(text) : tooLong(id, source),
          urgency: "critical",
          ...(isLoud(source, tool) && { sound: "dialog-warning" }),
          buttons: answers.map((answer) => labels[answer]),
        },
        signal,
      );
      const answer = button === undefined ? undefined : answers[button];
      if (answer !== "open") return answer;
      await open?.();
      return undefined;
    },
  };
}

/** What records, or runs a command, is heard, too. Names may have other separators at some doors. */
const isLoud = (source: string, tool: string): boolean =>
  source === "machine" && /(?:system.run|screen.record|camera.(?:snap|clip)|stt.transcribe)$/.test(tool);

function tooLong(id: string | undefined, source: string): string {
  const how = id === undefined ? "" : ` Run \`clawport approve ${id}\` in a terminal, or open the console.`;
  return `The call to ${visibleText(source, maxNameLength)} is too long to show here.${how}`;
}

/** Few buttons fit: a lasting no is left to the terminal. */
const isOffered = (choice: Choice): boolean => choice !== "never";
