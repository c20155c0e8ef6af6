import { mkdir, readFile, rmdir, writeFile } from "node:fs/promises";
import { expect, test, vi } from "vitest";
import type { UsageReport } from "../../../src/catalog/usage/usage-report.ts";
import type { StoredRow } from "../../../src/catalog/usage/usage-row.ts";
import type { ToolPage } from "../../../src/hub/control/queries/search-tools.ts";
import { agePins } from "../../support/age-pins.ts";
import { testSource, testTool } from "../../support/test-source.ts";
import { callHub } from "../page/call-hub.ts";
import { startConsoleHub } from "./console-hub.ts";

vi.setConfig({ testTimeout: 60_000 });

const dayMs = 86_400_000;
const dayOf = (ago: number): string => new Date(Date.now() - ago * dayMs).toISOString().slice(0, 10);

async function writeLedger(folder: string, days: Readonly<Record<number, readonly StoredRow[]>>): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const [ago, rows] of Object.entries(days))
    await writeFile(`${folder}/${dayOf(Number(ago))}.json`, JSON.stringify({ rows }));
}

test("usage is read by a session that may only look, by day, with what the unused definitions cost", async () => {
  const description = "Reads a note and returns its text. ".repeat(20);
  const source = testSource({
    id: "notes",
    prefix: "notes",
    tools: [testTool("read"), testTool("find", { description })],
  });
  await using hub = await startConsoleHub({
    sources: [source],
    config: '{ servers: { spare: { command: "none", enabled: false } } }',
  });
  await writeLedger(hub.home.file("usage"), {
    0: [["notes", "notes__read", "mcp-http/phone", 2, 0, 80, 400, 0]],
    3: [["notes", "notes__read", "mcp-http/phone", 5, 1, 200, 4000, 2000]],
    20: [["gone", "gone__tool", "cli", 9, 0, 0, 0, 0]],
  });
  const browser = await hub.signIn(false);
  const read = (days?: number) => browser.ask<UsageReport>("usage.read", days === undefined ? {} : { days });
  // Only what has been listed for a week can be called unused.
  expect((await read(7)).unused).toMatchObject({ servers: [], tools: [{ tool: "order_openclaw" }] });
  await agePins(hub.home.path);
  const week = await read(7);
  expect(week).toMatchObject({
    from: dayOf(6),
    to: dayOf(0),
    total: { calls: 7, errors: 1, tokensIn: 70, tokensOut: 600, tokensKept: 500 },
    callers: [{ caller: "phone", calls: 7 }],
    unused: { servers: [] },
  });
  expect(week.days.map(({ calls }) => calls)).toEqual([0, 0, 0, 5, 0, 0, 2]);
  const { tools } = week.unused;
  expect(tools.map(({ tool }) => tool)).toEqual(["order_openclaw", "notes__find"]);
  // The page shows the same cost beside the tool.
  const page = await browser.ask<ToolPage>("tools.search", { query: "notes__find" });
  expect(page.tools[0]?.tokens).toBe(tools[1]?.tokens);
  expect(week.listed).toMatchObject({ tools: 3 });
  expect((await read()).total.calls).toBe(16);
  expect((await read(1)).total.calls).toBe(2);
  expect((await read(0)).days).toHaveLength(1);
  expect((await read(1e9)).days).toHaveLength(92);
  for (const days of ["7", null, {}, true]) expect((await browser.post("usage.read", { days })).status).toBe(400);

  // A look, too: the text that hides a tool is made, and nothing is written.
  const text = "{ catalog: { exclude: ['x'] } }";
  expect(await browser.ask("configuration.hide", { text, tools: ["notes__find"] })).toBe(
    text.replace("[", '["notes__find", '),
  );
  for (const body of [{ text }, { tools: [] }, { text, tools: [1] }])
    expect((await browser.post("configuration.hide", body)).status).toBe(400);
  await expect(browser.ask("configuration.hide", { text: "{", tools: ["x"] })).rejects.toMatchObject({
    code: "config",
  });

  const token = (await readFile(hub.tokenPath, "utf8")).trim();
  await callHub(hub.address, token, "notes__find", {});
  // Pins that can't be read don't keep the figures back.
  await mkdir(hub.home.file("guard", "pins", "folder.json"));
  const { total, unused } = await read(1);
  expect([total.calls, unused.tools.map(({ tool }) => tool)]).toEqual([3, ["order_openclaw"]]);
  await rmdir(hub.home.file("guard", "pins", "folder.json"));
  const after = await read(1);
  expect(after.total.calls).toBe(3);
  expect(after.unused.tools.map(({ tool }) => tool)).toEqual(["order_openclaw"]);
});
