import { expect, test } from "vitest";
import { type AnnouncementFacts, renderAnnouncement } from "./announcement.ts";
import { createStyle } from "./style.ts";

const facts: AnnouncementFacts = {
  url: "http://127.0.0.1:8766/mcp",
  port: 8766,
  wantedPort: 8765,
  tokenPath: "/home/ann/.openclaw/mcp/mcp-token.txt",
  remoteNames: [],
  version: "1.2.3",
  apps: "http://127.0.0.1:8000",
  program: "npx clawport",
  sources: [],
};
const render = (changes: Partial<AnnouncementFacts> = {}): string =>
  renderAnnouncement({ ...facts, ...changes }, createStyle(false));

test("twelve lines are enough, even with every remark", () => {
  const sources = [{ id: "search", tools: 0, problem: "needs sign-in" }];
  for (const text of [render(), render({ sources }), render({ sources: [{ id: "agent", tools: 1 }] })])
    expect(text.split("\n").length).toBeLessThanOrEqual(12);
});

test("sources that need attention come first, and many are counted instead of listed", () => {
  const fine = Array.from({ length: 9 }, (_, index) => ({ id: `s${index}`, tools: index }));
  const text = render({ sources: [...fine, { id: "search", tools: 0, problem: "needs sign-in" }] });
  expect(text).toContain("tools    search (needs sign-in), s0 (0 tools), s1 (1 tool), s2 (2 tools)");
  expect(text).toContain(", and 2 more");
  expect(text).toContain("See why with `npx clawport doctor`.");
});

test("without servers it says how to add some; with servers it does not", () => {
  expect(render({ sources: [{ id: "agent", tools: 1 }] })).toContain("npx clawport import");
  expect(render({ sources: [{ id: "files", tools: 3 }] })).not.toContain("import");
});

test("it names the command that opens the console, and how to stop", () => {
  expect(render()).toContain("npx clawport console. Ctrl-C stops the hub.");
});

test("another port and other machines are pointed out", () => {
  expect(render()).toContain("8765 is in use by another program, so the hub uses 8766");
  expect(render({ remoteNames: ["box.local"] })).toContain("  http://box.local:8766/mcp");
});
