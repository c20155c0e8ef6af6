import type { ApprovalAnswer, Choice } from "../../catalog/advice.ts";
import type { Asker } from "../../catalog/guard/askers.ts";
import { visibleText } from "../../core/peer-text.ts";
import type { Notifications } from "./notifications.ts";

const labels: Readonly<Record<ApprovalAnswer, string>> = {
  once: "Allow once",
  always: "Always allow",
  never: "Never allow",
  no: "Deny",
};

const lookEveryMs = 30_000;
const longestText = 1500;

/** Asks the user on the desktop, by a notification with buttons. */
export function createDesktopAsker(
  notifications: Notifications,
  clock: () => number = Date.now,
): Asker & {
  /** Finds out whether there is a desktop that can ask. */
  look(): Promise<void>;
  /** Looks again unless a desktop was found: its daemon may have started after the node. For the moment before a question. */
  find(): Promise<void>;
} {
  let canAsk = false;
  let lookedAt = -Infinity;
  let looking: Promise<void> | undefined;

  async function lookNow(): Promise<void> {
    lookedAt = clock();
    canAsk = await notifications.hasButtons().catch(() => false);
  }

  const look = (): Promise<void> => (looking ??= lookNow().finally(() => (looking = undefined)));

  return {
    id: "desktop",
    kind: "desktop",
    look,
    find: async () => (canAsk ? undefined : look()),
    /** What was seen at the last look; a desktop may come and go. */
    available() {
      if (clock() - lookedAt > lookEveryMs) void look();
      return canAsk;
    },
    async ask({ text, choices, tool }, signal) {
      const answers: readonly ApprovalAnswer[] = [...choices.filter(isOffered), "no"];
      const { button } = await notifications.show(
        {
          title: `Allow ${tool}?`,
          body: visibleText(text, longestText),
          urgency: "critical",
          buttons: answers.map((answer) => labels[answer]),
        },
        signal,
      );
      return button === undefined ? undefined : answers[button];
    },
  };
}

/** Few buttons fit: a lasting no is left to the terminal. */
const isOffered = (choice: Choice): boolean => choice !== "never";
