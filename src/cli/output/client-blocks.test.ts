import { expect, test } from "vitest";
import { clientBlocks, exportTokenLine } from "./client-blocks.ts";

const blocks = clientBlocks({ url: "http://127.0.0.1:8765/mcp", tokenPath: "/home/ann/.openclaw/mcp/it's mine" });
const textFor = (client: string): string => blocks.find((block) => block.client === client)?.text ?? "";

test("every client has a block with the address, and the JSON blocks parse", () => {
  expect(blocks.map(({ client }) => client)).toEqual([
    "Claude Code",
    "Claude Code, for a project",
    "Cursor",
    "Codex",
    "OpenClaw",
  ]);
  for (const { text } of blocks) expect(text).toContain("http://127.0.0.1:8765/mcp");
  for (const { file, text } of blocks) if (file?.includes("json")) JSON.parse(text);
});

test("a path that contains a quote is escaped for the shell", () => {
  expect(exportTokenLine("/it's")).toBe(String.raw`export CLAWPORT_TOKEN="$(cat '/it'\''s')"`);
  expect(textFor("Claude Code")).toContain(String.raw`$(cat '/home/ann/.openclaw/mcp/it'\''s mine')`);
});

test("the block for OpenClaw names the transport, since OpenClaw would use the old one by default", () => {
  expect(JSON.parse(textFor("OpenClaw"))).toMatchObject({
    mcp: { servers: { clawport: { transport: "streamable-http" } } },
  });
});
