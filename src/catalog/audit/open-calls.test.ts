import { appendFile, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { prepareToSend } from "../../core/http/turn-end.ts";
import { formatMark, ownMark } from "../../core/process/process-mark.ts";
import type { AuditEntry, AuditLine, BegunCall } from "./audit-line.ts";
import { openAudit } from "./audit.ts";
import { readAudit } from "./read-audit.ts";
import { verifyAudit } from "./verify-audit.ts";

interface Folder extends AsyncDisposable {
  readonly file: string;
  readonly open: string;
  lines(): Promise<AuditLine[]>;
  /** Makes the files of this process look like those of one that was killed. */
  kill(): Promise<void>;
}

async function makeFolder(): Promise<Folder> {
  const path = await mkdtemp(join(tmpdir(), "open-calls-"));
  const file = join(path, "calls.jsonl");
  const open = join(path, "open");
  return {
    file,
    open,
    async lines() {
      const lines: AuditLine[] = [];
      for await (const line of readAudit({ file })) lines.push(line);
      return lines;
    },
    async kill() {
      const { start, place } = ownMark("/proc");
      // No process has this number.
      const dead = formatMark({ pid: 2 ** 22 + 1, start, place });
      for (const name of await readdir(open)) await rename(join(open, name), join(open, name.replace(/^[^.]+/, dead)));
    },
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  };
}

const begun = (tool: string): BegunCall => ({
  at: Date.UTC(2026, 0, 2, 3, 4, 5),
  caller: { door: "mcp-http", client: "inspector" },
  source: "git",
  tool,
  verdict: "allow",
  why: 'rule "x","ms":1',
});

const ended = (call: BegunCall): AuditEntry => ({ ...call, ms: 5, outcome: "ok", sizeIn: 2, sizeOut: 20 });

const outcomes = (lines: readonly AuditLine[]) => lines.map(({ tool, outcome }) => `${tool} ${outcome}`);

test("a call that was under way when its process was killed gets one line at the next start", async () => {
  await using folder = await makeFolder();
  const killed = openAudit({ file: folder.file, chain: true });
  const [one, two, three] = [begun("one"), begun("two"), begun("three")];
  for (const call of [one, two, three]) killed.begin(call);
  prepareToSend();
  killed.record(ended(one), one);
  prepareToSend();
  await folder.kill();
  for (let start = 0; start < 2; start++) {
    const next = openAudit({ file: folder.file, chain: true });
    await next.recover();
    await next.close();
  }
  expect(outcomes(await folder.lines())).toEqual(["one ok", "two unfinished", "three unfinished"]);
  expect(await readdir(folder.open)).toEqual([]);
  expect(await verifyAudit(folder.file)).toMatchObject({ ok: true, chained: 3 });
});

test("calls that look the same are told apart by their number", async () => {
  await using folder = await makeFolder();
  const killed = openAudit({ file: folder.file });
  const calls = Array.from({ length: 5 }, () => begun("same"));
  for (const call of calls) killed.begin(call);
  prepareToSend();
  for (const call of calls.slice(0, 2)) killed.record(ended(call), call);
  prepareToSend();
  const late = begun("same");
  killed.begin(late);
  prepareToSend();
  await folder.kill();
  const next = openAudit({ file: folder.file });
  await next.recover();
  await next.close();
  expect(outcomes(await folder.lines()).filter((text) => text === "same unfinished")).toHaveLength(4);
});

test("a call that ends in the turn it began in is one line, and leaves no file", async () => {
  await using folder = await makeFolder();
  const audit = openAudit({ file: folder.file });
  const call = begun("quick");
  audit.begin(call);
  audit.record(ended(call), call);
  prepareToSend();
  expect(readdirSync(join(folder.file, ".."))).toEqual(["calls.jsonl"]);
  await audit.close();
});

test("thousands of calls leave a small file, which goes when the process ends", async () => {
  await using folder = await makeFolder();
  const audit = openAudit({ file: folder.file });
  const long = begun("long");
  audit.begin(long);
  for (let index = 0; index < 5000; index++) {
    const call = begun(`tool${index}`);
    audit.begin(call);
    prepareToSend();
    audit.record(ended(call), call);
  }
  prepareToSend();
  const [name, ...more] = await readdir(folder.open);
  expect(more).toEqual([]);
  const text = await readFile(join(folder.open, name!), "utf8");
  expect(text.length).toBeLessThan(300_000);
  expect(text).toContain('"tool":"long"');
  audit.record(ended(long), long);
  await audit.close();
  expect(await readdir(folder.open)).toEqual([]);
  expect(await folder.lines()).toHaveLength(5001);
});

test("a line that was cut off, rubbish, and the files of running processes are left alone", async () => {
  await using folder = await makeFolder();
  const killed = openAudit({ file: folder.file });
  killed.begin(begun("one"));
  prepareToSend();
  const [name] = await readdir(folder.open);
  await appendFile(join(folder.open, name!), '+7 {"time":"2026-01-02T03:0');
  const next = openAudit({ file: folder.file });
  await next.recover();
  expect(await readdir(folder.open)).toEqual([name]);
  await mkdir(join(folder.open, "folder"));
  await writeFile(join(folder.open, "notes.txt"), "x");
  await folder.kill().catch(() => {});
  await next.recover();
  await next.close();
  expect(outcomes(await folder.lines())).toEqual(["one unfinished"]);
});

test("what is no file of calls does not keep the others from being read, and rubbish in one becomes no line", async () => {
  await using folder = await makeFolder();
  await mkdir(join(folder.open, "0_1_x.0"), { recursive: true });
  await folder.kill();
  const [dead = ""] = await readdir(folder.open);
  await writeFile(join(folder.open, dead.replace(/0$/, "1")), "+0 rubbish\n+1 {}\n");
  await openAudit({ file: folder.file }).recover();
  expect(await readdir(folder.open)).toEqual([dead]);
  expect(await readFile(folder.file, "utf8").catch(() => "")).toBe("");
});
