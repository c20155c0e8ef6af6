import { appendFile, mkdir, rename, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { expect, test, vi } from "vitest";
import { formatAuditLine } from "../../../src/catalog/audit/audit-line.ts";
import type { DoorKind } from "../../../src/catalog/caller.ts";
import type { AuditMatches, CallDetail } from "../../../src/hub/control/queries/search-audit.ts";
import type { SeriesPoint } from "../../../src/hub/control/queries/call-series.ts";
import type { ToolPage } from "../../../src/hub/control/queries/search-tools.ts";
import { hubFiles } from "../../../src/hub/state/hub-files.ts";
import { readCall, searchAudit } from "../../../src/hub/control/queries/search-audit.ts";
import { testSource, testTool } from "../../support/test-source.ts";
import { startConsoleHub } from "./console-hub.ts";

vi.setConfig({ testTimeout: 60_000 });

interface LineParts {
  readonly at?: number;
  readonly tool?: string;
  readonly door?: DoorKind;
  readonly client?: string;
  readonly agent?: string;
  readonly outcome?: string;
  readonly ms?: number;
}

function lineOf({
  at = 0,
  tool = "files__read",
  door = "mcp-http",
  client,
  agent,
  outcome = "ok",
  ms = 5,
}: LineParts): string {
  const caller = { door, ...(client !== undefined && { client }), ...(agent !== undefined && { agent }) };
  const facts = { verdict: "allow", why: "preset default", sizeIn: 10, sizeOut: 20 } as const;
  return formatAuditLine({ at, caller, source: tool.split("__")[0] ?? tool, tool, ms, outcome, ...facts });
}

const start = Date.parse("2026-01-01T00:00:00Z");

test("100,000 lines in several files are searched as one, newest first, a page at a time", async () => {
  await using hub = await startConsoleHub();
  const file = hubFiles.audit(hub.home);
  await mkdir(dirname(file), { recursive: true });
  for (const [index, name] of [`${file}.3`, `${file}.2`, `${file}.1`, file].entries()) {
    const lines = Array.from({ length: 25_000 }, (_, at) => {
      const number = index * 25_000 + at;
      return lineOf({
        at: start + number,
        tool: number % 1000 === 0 ? "rare__tool" : "files__read",
        client: number === 3 ? "Zoë's phone" : "laptop",
        outcome: number % 500 === 0 ? "denied" : "ok",
      });
    });
    await writeFile(name, lines.join(""));
  }
  const browser = await hub.signIn(false);
  const search = (query: object) => browser.ask<AuditMatches>("audit.search", query);
  const newest = await search({ limit: 3 });
  expect(newest.lines.map(({ time }) => Date.parse(time) - start)).toEqual([99_999, 99_998, 99_997]);
  const rare = await search({ tool: "rare__*", limit: 60 });
  expect(rare.lines).toHaveLength(60);
  const older = await search({ tool: "rare__*", limit: 60, before: rare.next });
  expect(older).toMatchObject({ lines: { length: 40 } });
  expect(older.next).toBeUndefined();
  expect(new Set([...rare.lines, ...older.lines].map(({ id }) => id)).size).toBe(100);
  // The oldest of all, by a text with a letter that JSON may write otherwise.
  const one = await search({ caller: "zoë's" });
  expect(one).toMatchObject({ lines: [{ client: "Zoë's phone" }], searched: 100_000 });
  expect((await search({ outcome: "denied", text: "rare__", limit: 1000 })).lines).toHaveLength(100);
  expect((await search({ text: "no such text" })).lines).toEqual([]);
  expect((await search({ limit: 100_000 })).lines).toHaveLength(1000);
});

test("paging reads every line once, wherever its file was cut into chunks", async () => {
  await using hub = await startConsoleHub();
  const file = hubFiles.audit(hub.home);
  await mkdir(dirname(file), { recursive: true });
  const total = 3000;
  const lines = Array.from({ length: total }, (_, at) => lineOf({ at: start + at, client: "x".repeat(at % 190) }));
  await writeFile(`${file}.1`, `not json\n\n${lines.slice(0, 1500).join("")}`);
  await writeFile(file, `${lines.slice(1500).join("")}{"time":"cut off`);
  const seen: string[] = [];
  for (let before: string | undefined = ""; before !== undefined;) {
    const page: AuditMatches = await searchAudit(hub, { limit: 97, before });
    seen.push(...page.lines.map(({ time }) => time));
    before = page.next;
  }
  expect(seen).toEqual(lines.map((line) => (JSON.parse(line) as { time: string }).time).toReversed());
});

test("a line keeps its name when its file is rotated, and is gone when the file is", async () => {
  await using hub = await startConsoleHub();
  const file = hubFiles.audit(hub.home);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, lineOf({ at: start }) + lineOf({ at: start + 1, outcome: "timeout" }));
  const [last] = (await searchAudit(hub)).lines;
  await rename(file, `${file}.1`);
  await writeFile(file, lineOf({ at: start + 2 }));
  expect(await readCall(hub, last!.id)).toMatchObject({ line: { outcome: "timeout" } });
  await writeFile(`${file}.1`, "");
  await expect(readCall(hub, last!.id)).rejects.toMatchObject({ code: "not-found" });
  await expect(readCall(hub, "nowhere")).rejects.toMatchObject({ code: "bad-params" });
});

test("one call is shown as its steps, with what was called on its behalf", async () => {
  await using hub = await startConsoleHub();
  const file = hubFiles.audit(hub.home);
  await mkdir(dirname(file), { recursive: true });
  await appendFile(
    file,
    [
      lineOf({ at: start - 50, tool: "files__early", agent: "clawport" }),
      lineOf({ at: start + 10, tool: "files__read", agent: "clawport" }),
      lineOf({ at: start + 12, tool: "files__other", client: "someone else" }),
      lineOf({ at: start + 20, tool: "files__write", agent: "clawport" }),
      lineOf({ at: start, tool: "order_openclaw", ms: 100 }),
    ].join(""),
  );
  const browser = await hub.signIn(false);
  const { lines } = await browser.ask<AuditMatches>("audit.search", { tool: "order_openclaw" });
  const detail = await browser.ask<CallDetail>("audit.steps", { id: lines[0]!.id });
  expect(detail.steps.map(({ step }) => step)).toEqual(["arrived", "judged", "ran", "ended"]);
  expect(detail.inside.map(({ tool }) => tool)).toEqual(["files__read", "files__write"]);
});

test("calls per minute come from the audit of earlier starts and from this one", async () => {
  const source = testSource({ id: "notes", tools: ["add"] });
  await using hub = await startConsoleHub({ sources: [source] });
  const file = hubFiles.audit(hub.home);
  await mkdir(dirname(file), { recursive: true });
  const earlier = Date.now() - 5 * 60_000;
  await appendFile(file, lineOf({ at: earlier, ms: 100 }) + lineOf({ at: earlier, ms: 10, outcome: "timeout" }));
  const browser = await hub.signIn();
  const read = () => browser.ask<readonly SeriesPoint[]>("status.series", { minutes: 30 });
  const points = await read();
  expect(points).toHaveLength(30);
  const [past] = points.filter(({ calls }) => calls > 0);
  expect(past).toMatchObject({ calls: 2, errors: 1 });
  expect(past!.p95).toBeGreaterThanOrEqual(100);
  expect(past!.p95).toBeLessThan(130);
  expect(past!.times).toEqual([
    [expect.closeTo(10, -1), 1],
    [past!.p95, 1],
  ]);
  await browser.post("call", { tool: "add", arguments: {} });
  const sum = (await read()).reduce((all, { calls }) => all + calls, 0);
  expect(sum).toBe(3);
  expect(await browser.ask("status.series", { minutes: 100_000 })).toHaveLength(1440);
});

test("10,000 tools are searched as a whole and sent a page at a time", async () => {
  const tools = Array.from({ length: 10_000 }, (_, at) =>
    testTool(`tool_${at}`, { description: at === 9876 ? "Waters the plants. Really." : "Does something." }),
  );
  await using hub = await startConsoleHub({ sources: [testSource({ id: "many", prefix: "many", tools })] });
  const browser = await hub.signIn(false);
  const search = (query: object) => browser.ask<ToolPage>("tools.search", query);
  expect(await search({})).toMatchObject({ total: 10_001, tools: { length: 50 } });
  expect((await search({ limit: 5000 })).tools).toHaveLength(200);
  expect(await search({ query: "plants waters" })).toMatchObject({
    total: 1,
    tools: [{ name: "many__tool_9876", source: "many", description: "Waters the plants." }],
  });
  expect((await search({ query: "tool_77", source: "many", offset: 1, limit: 1 })).tools).toHaveLength(1);
  expect((await search({ query: "many__tool_5" })).tools[0]?.name).toBe("many__tool_5");
  expect(await search({ source: "nothing" })).toEqual({ total: 0, tools: [] });
});
