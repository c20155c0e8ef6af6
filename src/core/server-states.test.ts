import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { protocolText, serverStateRow, serverStates, serverWord } from "./server-states.ts";

test("the documents have every state with its word, its meaning and what to do, as the code says it", () => {
  const docs = readFileSync(new URL("../../docs/servers.md", import.meta.url), "utf8");
  const server = { name: "<server>", address: "https://example.com/mcp" };
  for (const state of Object.keys(serverStates)) {
    const { word, meaning, remedy } = serverStateRow(state);
    const run = remedy === undefined ? "" : ` \`clawport ${remedy(server)}\``;
    expect(docs).toContain(`| *${word}* | \`${state}\` | ${meaning} |${run} |\n`);
  }
});

test("a server that is a command runs, others are connected, and an unknown state is shown as it is", () => {
  expect(serverWord({ state: "ready", address: "stdio://npx x" })).toBe("Running");
  expect(serverWord({ state: "ready", address: "https://example.com/mcp" })).toBe("Connected");
  expect(serverWord({ state: "later", address: "" })).toBe("later");
});

test("the way a server is spoken to has words that do not read like a fault", () => {
  expect(protocolText({ version: "2025-11-25", era: "legacy" })).toBe("2025-11-25, with sessions");
  expect(protocolText({ version: "2026-07-28", era: "modern" })).toBe("2026-07-28, stateless");
});
