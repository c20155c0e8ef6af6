import { expect, test } from "vitest";
import type { Choice } from "../../catalog/advice.ts";
import { createDesktopAsker } from "./desktop-asker.ts";
import type { Notification, Notifications } from "./notifications.ts";

/** A desktop whose user presses this button. */
function desktopThatPresses(label: string) {
  const shown: Notification[] = [];
  const notifications: Notifications = {
    probe: () => Promise.resolve({ ok: true }),
    hasButtons: () => Promise.resolve(true),
    show(notification) {
      shown.push(notification);
      const button = notification.buttons?.indexOf(label) ?? -1;
      return Promise.resolve(button < 0 ? {} : { button });
    },
  };
  return { notifications, shown };
}

const question = (text: string) => ({
  id: "7",
  tool: "system.run",
  source: "machine",
  caller: { door: "mcp-http" as const },
  text,
  choices: ["once", "always", "never"] as readonly Choice[],
  expiresAt: 0,
});
const signal = new AbortController().signal;

test("what fits is shown whole, and can be allowed", async () => {
  const { notifications, shown } = desktopThatPresses("Allow once");
  const answer = await createDesktopAsker(notifications).ask(question("a\u202eb"), signal);
  expect([answer, shown]).toMatchObject([
    "once",
    [{ body: String.raw`a\u{202e}b`, buttons: ["Allow once", "Always allow", "Deny"] }],
  ]);
});

test.each([["x".repeat(501)], ["x\n".repeat(10)]])("what does not fit can only be denied or opened", async (text) => {
  for (const label of ["Allow once", "Always allow"]) {
    const { notifications, shown } = desktopThatPresses(label);
    expect(await createDesktopAsker(notifications).ask(question(text), signal)).toBeUndefined();
    expect(shown).toMatchObject([
      { buttons: ["Deny"], body: expect.stringContaining("`clawport approve 7`") as string },
    ]);
  }
  expect(await createDesktopAsker(desktopThatPresses("Deny").notifications).ask(question(text), signal)).toBe("no");
  const opened: string[] = [];
  const openCall = (id: string) => () => Promise.resolve(opened.push(id));
  const { notifications, shown } = desktopThatPresses("Open it");
  expect(await createDesktopAsker(notifications, { openCall }).ask(question(text), signal)).toBeUndefined();
  expect([opened, shown[0]?.buttons]).toEqual([["7"], ["Open it", "Deny"]]);
});
