import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { silentLog } from "../../core/log.ts";
import type { AuditEntry } from "../audit/audit-line.ts";
import { openUsageLedger } from "./usage-ledger.ts";
import { reportUsage } from "./usage-report.ts";

const start = Date.parse("2026-11-16T12:00:00Z");
const dayMs = 86_400_000;
const listed = { tools: 2, tokens: 20 };

function entry(parts: Partial<AuditEntry> = {}): AuditEntry {
  const caller = { door: "mcp-http", token: "phone" } as const;
  const sizes = { sizeIn: 40, sizeOut: 400 };
  const call = { verdict: "allow", why: "", ms: 1, outcome: "ok" } as const;
  return { at: start, caller, source: "files", tool: "files__read", ...call, ...sizes, ...parts };
}

async function openFolder() {
  const folder = join(await mkdtemp(join(tmpdir(), "usage-")), "usage");
  let now = start;
  const open = () => openUsageLedger({ folder, log: silentLog, clock: () => now });
  return {
    folder,
    open,
    pass: (ms: number) => (now += ms),
    now: () => now,
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

test("calls are summed by server, tool and caller, also those of other and earlier processes", async () => {
  await using place = await openFolder();
  const [one, two] = [place.open(), place.open()];
  one.note(entry());
  one.note(entry({ outcome: "timeout", sizeOut: 0 }));
  two.note(entry({ caller: { door: "cli" }, tool: "files__list" }));
  one.noteKept({ caller: entry().caller, source: "files", tool: "files__read", size: 200 });
  await Promise.all([one.close(), two.close()]);
  const read = await place.open().read(30);
  const total = { calls: 3, errors: 1, tokensIn: 30, tokensOut: 150, tokensKept: 50 };
  const known = {
    listed,
    knownServers: ["files", "git"],
    knownTools: [{ server: "git", tool: "git__log", tokens: 9 }],
  };
  const { days, ...report } = reportUsage({ ...read, ...known });
  expect(days).toHaveLength(30);
  expect(days[0]).toEqual({ day: "2026-10-18", calls: 0, errors: 0, tokensIn: 0, tokensOut: 0, tokensKept: 0 });
  expect(days.at(-1)).toEqual({ day: "2026-11-16", ...total });
  expect(report).toEqual({
    from: "2026-10-18",
    to: "2026-11-16",
    total,
    servers: [{ server: "files", ...total }],
    tools: [
      { server: "files", tool: "files__read", calls: 2, errors: 1, tokensIn: 20, tokensOut: 50, tokensKept: 50 },
      { server: "files", tool: "files__list", calls: 1, errors: 0, tokensIn: 10, tokensOut: 100, tokensKept: 0 },
    ],
    callers: [
      { caller: "phone", calls: 2, errors: 1, tokensIn: 20, tokensOut: 50, tokensKept: 50 },
      { caller: "cli", calls: 1, errors: 0, tokensIn: 10, tokensOut: 100, tokensKept: 0 },
    ],
    listed,
    unused: { servers: ["git"], tools: [{ server: "git", tool: "git__log", tokens: 9 }] },
  });
  expect(one.sinceStart().get("files")).toEqual({ sizeIn: 80, sizeOut: 400, sizeKept: 200 });
});

test("each day has its file, the days asked for are counted, and old ones are removed", async () => {
  await using place = await openFolder();
  const ledger = place.open();
  for (let day = 0; day < 100; day++) {
    ledger.note(entry({ at: place.now() }));
    await ledger.close();
    place.pass(dayMs);
  }
  place.pass(-dayMs);
  const calls = async (days: number) => (await ledger.read(days)).rows.reduce((sum, row) => sum + row.calls, 0);
  expect(await Promise.all([calls(1), calls(7), calls(30)])).toEqual([1, 7, 30]);
  expect((await readdir(place.folder)).filter((name) => name.endsWith(".json"))).toHaveLength(92);
  expect((await readdir(place.folder)).toSorted()[0]).toMatch(/^2026-11-24\.json/);
  expect(await Promise.all([calls(10_000), calls(0), calls(-3)])).toEqual([92, 1, 1]);
  expect(await ledger.read(2.5)).toEqual(await ledger.read(2));
});

test("names without end stay within bounds, and nothing is lost from the sums", async () => {
  await using place = await openFolder();
  const ledger = place.open();
  for (let index = 0; index < 5000; index++)
    ledger.note(entry({ tool: `files__${index}${"x".repeat(500)}`, caller: { door: "mcp-http", token: `t${index}` } }));
  for (let index = 0; index < 100; index++) ledger.note(entry({ source: "-", tool: `nothing${index}` }));
  for (let index = 0; index < 100; index++) ledger.note(entry({ source: `app:${index}`, tool: "open" }));
  const { rows } = await ledger.read(1);
  expect(rows.reduce((sum, row) => sum + row.calls, 0)).toBe(5200);
  expect(rows.length).toBeLessThan(1010);
  expect((await readFile(join(place.folder, "2026-11-16.json"))).length).toBeLessThan(400_000);
});

test("a tool counts as never used only if that is certain", async () => {
  await using place = await openFolder();
  const ledger = place.open();
  const long = `files__${"x".repeat(500)}`;
  const unused = async (tools: readonly string[]) => {
    const knownTools = tools.map((tool) => ({ server: tool.split("__")[0]!, tool, tokens: 1 }));
    const { unused } = reportUsage({
      ...(await ledger.read(1)),
      knownServers: ["files", "git", "new"],
      knownTools,
      listed,
    });
    return [...unused.servers, ...unused.tools.map(({ tool }) => tool)];
  };
  ledger.note(entry({ tool: long }));
  expect(await unused([long, "files__never", "git__log"])).toEqual(["git", "new", "files__never", "git__log"]);
  // Beyond the most rows of a day, tools are counted together.
  for (let index = 0; index < 1500; index++) ledger.note(entry({ tool: `files__${index}` }));
  expect(await unused([long, "files__1499", "files__never", "git__log"])).toEqual(["git", "new", "git__log"]);
});

test("what was kept after midnight does not make the tokens of that day negative", async () => {
  await using place = await openFolder();
  const ledger = place.open();
  ledger.note(entry({ sizeOut: 400 }));
  place.pass(dayMs);
  ledger.noteKept({ caller: entry().caller, source: "files", tool: "files__read", size: 300 });
  const report = reportUsage({ ...(await ledger.read(1)), knownServers: [], knownTools: [], listed });
  expect(report.total).toEqual({ calls: 0, errors: 0, tokensIn: 0, tokensOut: 0, tokensKept: 75 });
});

test("a damaged file is set aside, and counting goes on", async () => {
  await using place = await openFolder();
  const ledger = place.open();
  ledger.note(entry());
  await ledger.close();
  await writeFile(join(place.folder, "2026-11-16.json"), '{"rows":[["files"]]}');
  ledger.note(entry());
  expect((await ledger.read(1)).rows).toHaveLength(1);
  expect((await readdir(place.folder)).filter((name) => name.includes("damaged"))).toHaveLength(1);
});

test("what can't be written is written later", async () => {
  await using place = await openFolder();
  await writeFile(place.folder, "not a folder");
  const ledger = place.open();
  ledger.note(entry());
  await ledger.close();
  await rm(place.folder);
  ledger.note(entry());
  expect((await ledger.read(1)).rows).toMatchObject([{ calls: 2 }]);
});
