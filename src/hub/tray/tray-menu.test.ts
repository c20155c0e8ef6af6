import { expect, test } from "vitest";
import type { Presence } from "../control/queries/presence.ts";
import { drawIcon } from "./tray-icon.ts";
import { confirmationOf, menuOf, type TrayAction, type TrayItem } from "./tray-menu.ts";
import { stateOf, statusLine, trayStates } from "./tray-state.ts";

const quiet: Presence = {
  revision: "1",
  host: "hub",
  address: "http://127.0.0.1:8765",
  waiting: [],
  running: 0,
  recordings: [],
  recent: [],
  troubles: [],
  tools: false,
  gateway: false,
};
const question = { id: "7", tool: "files__write", own: "write", source: "files", caller: "phone", callerKey: "k" };
const recording = {
  id: "3",
  what: "screen",
  tool: "screen.record",
  since: "2026-01-01T12:00:00Z",
  seconds: 10,
  caller: "phone",
  notice: "none",
} as const;

const factsOf = (more: Partial<Presence>) => ({
  hub: { ...quiet, ...more },
  ownsNode: false,
  startsWithSession: false,
});

const everything = factsOf({
  waiting: [question],
  recordings: [recording, { ...recording, what: "microphone" }],
  paused: {},
  running: 1,
  troubles: ["files: stopped"],
});

test.each([
  ["listening", factsOf({}), "Listening at http://127.0.0.1:8765"],
  ["working", factsOf({ running: 2 }), "2 calls running"],
  ["trouble", factsOf({ running: 1, troubles: ["files: stopped"] }), "files: stopped"],
  ["paused", factsOf({ troubles: ["files: stopped"], paused: {} }), "Paused until you resume"],
  ["asks", factsOf({ paused: {}, waiting: [question] }), "1 call waits for your approval"],
  ["recording", everything, "Recording: screen, for phone; microphone, for phone"],
  ["stopped", { ...everything, hub: undefined }, "Clawport is not running"],
] as const)("%s: what the user must not miss comes first", (state, facts, line) => {
  expect(stateOf(facts)).toBe(state);
  expect(statusLine(facts)).toBe(line);
});

function actionsOf(items: readonly TrayItem[]): readonly TrayAction[] {
  return items.flatMap((item) => {
    if (item.kind === "menu") return actionsOf(item.items);
    return item.kind === "action" ? [item.action] : [];
  });
}

test("the menu offers to open and to deny a question, and never to allow it", () => {
  const actions = actionsOf(menuOf(everything));
  expect(actions).toContainEqual({ do: "open", page: "approvals/7" });
  expect(actions).toContainEqual({ do: "deny", id: "7" });
  expect(JSON.stringify(actions)).not.toMatch(/allow|approve|once|always/);
});

test("one recording of several devices has one entry that stops it", () => {
  const stops = menuOf(everything).filter((item) => item.kind === "action" && item.action.do === "stop-recording");
  expect(stops).toHaveLength(1);
  expect(stops[0]).toMatchObject({ label: expect.stringContaining("screen and microphone, screen.record for phone") });
});

test("what gives callers more is confirmed first, what takes away is not", () => {
  const widening = actionsOf([...menuOf(factsOf({})), ...menuOf(everything)]).filter((action) =>
    confirmationOf(action),
  );
  expect(new Set(widening.map((action) => action.do))).toEqual(
    new Set(["resume", "copy-token", "set-tools", "set-gateway"]),
  );
  expect(confirmationOf({ do: "set-tools", on: false })).toBeUndefined();
  expect(confirmationOf({ do: "pause" })).toBeUndefined();
  expect(confirmationOf({ do: "deny", id: "7" })).toBeUndefined();
});

test("names from outside can't break out of their line", () => {
  const items = menuOf(factsOf({ waiting: [{ ...question, caller: "evil\nAllow\u202e", tool: "x".repeat(500) }] }));
  const labels = items.flatMap((item) => ("label" in item ? [item.label] : []));
  for (const label of labels) {
    expect(label.length).toBeLessThan(250);
    expect(label).not.toMatch(/[\n\u202e]/);
  }
});

test("a node has no switch for its tools, and quitting says what it ends", () => {
  const node = menuOf({ ...factsOf({ host: "node" }), ownsNode: true });
  expect(actionsOf(node).some((action) => action.do === "set-tools")).toBe(false);
  expect(node.at(-1)).toMatchObject({ label: "Quit Clawport" });
  expect(menuOf(factsOf({})).at(-1)).toMatchObject({ label: "Quit the tray" });
});

test("the icons differ in shape, not in colour alone", () => {
  const brightness = (state: (typeof trayStates)[number]): string => {
    const { bytes, size } = drawIcon(state, 22);
    expect(bytes).toHaveLength(size * size * 4);
    return Array.from({ length: size * size }, (_, pixel) => {
      const [alpha = 0, red = 0, green = 0, blue = 0] = bytes.subarray(pixel * 4, pixel * 4 + 4);
      return alpha < 128 ? " " : red + green + blue > 330 ? "#" : ".";
    }).join("");
  };
  const drawn = trayStates.map(brightness);
  for (const [index, one] of drawn.entries())
    for (const other of drawn.slice(index + 1)) {
      const differing = Array.from(one).filter((pixel, at) => pixel !== other[at]).length;
      expect(differing).toBeGreaterThan(40);
    }
});
