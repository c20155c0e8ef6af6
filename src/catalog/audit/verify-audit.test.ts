import { appendFile, mkdtempDisposable, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { prepareToSend } from "../../core/http/turn-end.ts";
import { type AuditOptions, openAudit } from "./audit.ts";
import { readAudit } from "./read-audit.ts";
import { verifyAudit } from "./verify-audit.ts";

async function openPlace() {
  const folder = await mkdtempDisposable(join(tmpdir(), "chain-"));
  const file = join(folder.path, "calls.jsonl");
  return { file, [Symbol.asyncDispose]: () => folder.remove() };
}

/** Writes calls of tools with these names, all in one turn, as a process would that is closed afterwards. */
async function write(file: string, names: readonly string[], options: Partial<AuditOptions> = {}): Promise<void> {
  const audit = openAudit({ file, chain: true, ...options });
  for (const tool of names) record(audit, tool);
  await audit.close();
}

function record(audit: ReturnType<typeof openAudit>, tool: string): void {
  const caller = { door: "mcp-http", client: "ünï" } as const;
  const rest = { source: "s", verdict: "allow", why: "w", ms: 1, outcome: "ok", sizeIn: 1, sizeOut: 2 } as const;
  audit.record({ at: Date.UTC(2026, 0, 2), caller, tool, ...rest });
}

async function edit(file: string, change: (lines: string[]) => readonly string[]): Promise<void> {
  const lines = (await readFile(file, "utf8")).trimEnd().split("\n");
  await writeFile(
    file,
    change(lines)
      .map((line) => `${line}\n`)
      .join(""),
  );
}

test("a chain holds over turns, restarts and rotations, also when the oldest files are gone", async () => {
  await using place = await openPlace();
  expect(await verifyAudit(place.file)).toMatchObject({ ok: true, lines: 0 });
  await write(place.file, ["a", "b", "c"]);
  await write(place.file, ["d"]);
  expect(await verifyAudit(place.file)).toMatchObject({ ok: true, lines: 4, chained: 4, continues: false, breaks: [] });
  for (let index = 0; index < 10; index++) await write(place.file, ["e", "f"], { maxBytes: 1000, keep: 2 });
  const found = await verifyAudit(place.file);
  expect(found).toMatchObject({ ok: true, continues: true, breaks: [], cuts: [] });
  expect(found.lines).toBeLessThan(24);
});

test("a process that finds the file rotated, or only rotated files, continues the chain", async () => {
  await using place = await openPlace();
  await write(place.file, ["a"]);
  const other = openAudit({ file: place.file, chain: true });
  record(other, "b");
  prepareToSend();
  await write(place.file, ["c"], { maxBytes: 300 });
  record(other, "d");
  await other.close();
  await write(place.file, ["e"], { maxBytes: 300 });
  await rm(place.file);
  await write(place.file, ["f"]);
  const tools = [];
  for await (const { tool } of readAudit(place)) tools.push(tool);
  expect(tools).toEqual(["a", "b", "c", "d", "f"]);
  expect(await verifyAudit(place.file)).toMatchObject({ ok: true, lines: 5, breaks: [] });
});

test("lines of processes that write at the same moment are linked by the next one", async () => {
  await using place = await openPlace();
  await write(place.file, ["a"]);
  const before = await readFile(place.file, "utf8");
  await write(place.file, ["b", "c"]);
  const after = await readFile(place.file, "utf8");
  // The other process has not seen these two.
  await writeFile(place.file, before);
  await write(place.file, ["x"]);
  await appendFile(place.file, after.slice(before.length));
  expect(await verifyAudit(place.file)).toMatchObject({ ok: true, breaks: [] });
  await write(place.file, ["d"]);
  expect(await verifyAudit(place.file)).toMatchObject({ ok: true, lines: 5, breaks: [] });
  await edit(place.file, (lines) => lines.toSpliced(1, 1));
  expect(await verifyAudit(place.file)).toMatchObject({ ok: false, breaks: [{ line: 4, problem: "missing" }] });
});

test.for<[what: string, change: (lines: string[]) => readonly string[], line: number, problem: string]>([
  ["changed", (lines) => lines.with(2, lines[2]!.replace('"ok"', '"no"')), 3, "changed"],
  ["changed at the end", (lines) => lines.with(5, lines[5]!.replace('"ok"', '"no"')), 6, "changed"],
  ["without its hash", (lines) => lines.with(2, lines[2]!.replace(/,"prev".*/, "}")), 3, "added"],
  ["removed", (lines) => lines.toSpliced(2, 1), 3, "missing"],
  ["moved", (lines) => [lines[1]!, lines[0]!, ...lines.slice(2)], 2, "missing"],
  ["repeated", (lines) => lines.toSpliced(3, 0, lines[1]!), 4, "added"],
  ["inserted without a hash", (lines) => lines.toSpliced(3, 0, lines[1]!.replace(/,"prev".*/, "}")), 4, "added"],
  ["cut off in the middle", (lines) => lines.with(2, lines[2]!.slice(0, 50)), 3, "added"],
])("a line that was %s is found", async ([, change, line, problem]) => {
  await using place = await openPlace();
  await write(place.file, ["a", "b", "c", "d", "e", "f"]);
  await edit(place.file, change);
  const found = await verifyAudit(place.file);
  expect(found.ok).toBe(false);
  expect(found.breaks[0]).toEqual({ file: "calls.jsonl", line, problem });
});

test.for<[what: string, change: (lines: string[]) => readonly string[]]>([
  ["removed", (lines) => lines.toSpliced(2, 1)],
  ["moved", (lines) => [...lines.slice(0, 2), lines[3]!, lines[2]!, ...lines.slice(4)]],
])("a line that was %s is found in the oldest file, too", async ([, change]) => {
  await using place = await openPlace();
  for (let index = 0; index < 10; index++) await write(place.file, ["a", "b", "c", "d"], { maxBytes: 2000, keep: 2 });
  expect(await verifyAudit(place.file)).toMatchObject({ ok: true, continues: true });
  await edit(`${place.file}.2`, change);
  expect(await verifyAudit(place.file)).toMatchObject({ ok: false, breaks: [{ file: "calls.jsonl.2" }] });
});

test("a line that a crash cut off is told from tampering, at the end and after the next start", async () => {
  await using place = await openPlace();
  await write(place.file, ["a", "b", "c"]);
  const text = await readFile(place.file, "utf8");
  await writeFile(place.file, text.slice(0, -20));
  const cuts = [{ file: "calls.jsonl", line: 3 }];
  expect(await verifyAudit(place.file)).toMatchObject({ ok: true, breaks: [], cuts });
  await write(place.file, ["d", "e"]);
  expect(await verifyAudit(place.file)).toMatchObject({ ok: true, lines: 5, chained: 4, breaks: [], cuts });
  await edit(place.file, (lines) => lines.with(2, lines[2]!.replace("a", "b")));
  expect(await verifyAudit(place.file)).toMatchObject({ ok: false, cuts: [] });
});

test("a chain can begin after lines without one, pause and end", async () => {
  await using place = await openPlace();
  const names = Array.from({ length: 200 }, (_, index) => `t${index}`);
  await write(place.file, names, { chain: false });
  expect(await verifyAudit(place.file)).toMatchObject({ ok: false, lines: 200, chained: 0, breaks: [] });
  await write(place.file, ["a", "b"]);
  await write(place.file, names, { chain: false });
  expect(await verifyAudit(place.file)).toMatchObject({ ok: true, unchainedAtStart: 200, unchainedAtEnd: 200 });
  await write(place.file, ["c"]);
  expect(await verifyAudit(place.file)).toMatchObject({ ok: true, chained: 3, unchainedAtEnd: 0, breaks: [] });
});
