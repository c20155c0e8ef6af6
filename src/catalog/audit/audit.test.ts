import { appendFile, mkdir, mkdtemp, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { atTurnEnd, prepareToSend } from "../../core/http/turn-end.ts";
import { silentLog } from "../../core/log.ts";
import type { AuditEntry, AuditLine } from "./audit-line.ts";
import { openAudit } from "./audit.ts";
import { readAudit, readAuditLines } from "./read-audit.ts";

async function tempFolder(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(join(tmpdir(), "audit-"));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

function entry(parts: Partial<AuditEntry> = {}): AuditEntry {
  return {
    at: Date.UTC(2026, 0, 2, 3, 4, 5),
    caller: { door: "mcp-http", token: "main", client: "inspector", sessionKey: "agent:main:secret" },
    source: "git",
    tool: "git__log",
    verdict: "allow",
    why: "preset default",
    ms: 1.23456,
    outcome: "ok",
    sizeIn: 2,
    sizeOut: 20,
    ...parts,
  };
}

async function linesOf(file: string, after?: string): Promise<AuditLine[]> {
  const lines: AuditLine[] = [];
  for await (const line of readAudit({ file, after })) lines.push(line);
  return lines;
}

test("a call is one line of JSON in an owner-only file, with the session key hashed", async () => {
  await using folder = await tempFolder();
  const file = join(folder.path, "new", "audit.log");
  const audit = openAudit({ file });
  audit.record(entry());
  await audit.close();
  expect(await readFile(file, "utf8")).toBe(
    `${JSON.stringify({
      time: "2026-01-02T03:04:05.000Z",
      door: "mcp-http",
      token: "main",
      client: "inspector",
      session: "5c3ca0a0becc291d",
      source: "git",
      tool: "git__log",
      verdict: "allow",
      why: "preset default",
      ms: 1.235,
      outcome: "ok",
      in: 2,
      out: 20,
    })}\n`,
  );
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

test("a full file is rotated, the oldest file is deleted, and the rest is read in the order of the calls", async () => {
  await using folder = await tempFolder();
  const file = join(folder.path, "audit.log");
  for (let index = 0; index < 12; index++) {
    const audit = openAudit({ file, maxBytes: 300, keep: 3 });
    audit.record(entry({ tool: `tool_${index}` }));
    await audit.close();
  }
  expect((await readdir(folder.path)).toSorted()).toEqual(["audit.log", "audit.log.1", "audit.log.2", "audit.log.3"]);
  expect((await linesOf(file)).map(({ tool }) => tool)).toEqual(["tool_8", "tool_9", "tool_10", "tool_11"]);
});

test("what a process leaves that is killed while it rotates the files is read, and repaired by the next rotation", async () => {
  await using folder = await tempFolder();
  const file = join(folder.path, "audit.log");
  const writeOne = async (tool: string): Promise<void> => {
    const audit = openAudit({ file, maxBytes: 300, keep: 5 });
    audit.record(entry({ tool }));
    await audit.close();
  };
  for (const tool of ["one", "two", "three"]) await writeOne(tool);
  await rename(`${file}.2`, `${file}.3`);
  await rename(`${file}.1`, `${file}.2`);
  expect((await linesOf(file)).map(({ tool }) => tool)).toEqual(["one", "two", "three"]);
  await writeOne("four");
  expect((await readdir(folder.path)).toSorted()).toEqual(["audit.log", "audit.log.1", "audit.log.2", "audit.log.3"]);
  expect((await linesOf(file)).map(({ tool }) => tool)).toEqual(["one", "two", "three", "four"]);
});

test("a reader that follows misses nothing while two writers rotate the files under it", async () => {
  await using folder = await tempFolder();
  const file = join(folder.path, "audit.log");
  const stop = new AbortController();
  const seen: string[] = [];
  const count = 300;
  const reading = (async () => {
    for await (const { tool } of readAudit({ file, follow: true, signal: stop.signal })) {
      seen.push(tool);
      if (seen.length === count) stop.abort();
    }
  })();
  for (let index = 0; index < count; index += 2) {
    const writers = [openAudit({ file, maxBytes: 4000, keep: 200 }), openAudit({ file, maxBytes: 4000, keep: 200 })];
    for (const [offset, audit] of writers.entries()) {
      audit.record(entry({ tool: `tool_${index + offset}` }));
      await audit.close();
    }
  }
  await reading;
  expect(seen).toEqual(Array.from({ length: count }, (_, index) => `tool_${index}`));
});

test("a reader that follows sees what a process still writes to a file that another has rotated", async () => {
  await using folder = await tempFolder();
  const file = join(folder.path, "audit.log");
  const [slow, rotating] = [openAudit({ file }), openAudit({ file, maxBytes: 300 })];
  const stop = new AbortController();
  const following = readAudit({ file, follow: true, signal: stop.signal });
  slow.record(entry({ tool: "one" }));
  prepareToSend();
  expect((await following.next()).value?.tool).toBe("one");
  slow.record(entry({ tool: "two" }));
  prepareToSend();
  rotating.record(entry({ tool: "three" }));
  prepareToSend();
  const rest = [(await following.next()).value?.tool];
  const third = following.next();
  slow.record(entry({ tool: "four" }));
  prepareToSend();
  rest.push((await third).value?.tool, (await following.next()).value?.tool);
  expect(new Set(rest)).toEqual(new Set(["two", "three", "four"]));
  stop.abort();
  await Promise.all([slow.close(), rotating.close(), following.return(undefined)]);
});

test("reading continues after any line, also if the file was rotated since, or deleted", async () => {
  await using folder = await tempFolder();
  const file = join(folder.path, "audit.log");
  const names = Array.from({ length: 12 }, (_, index) => `é${index}`);
  const writeAll = async (): Promise<void> => {
    const audit = openAudit({ file, maxBytes: 600, keep: 20 });
    for (const tool of names) audit.record(entry({ tool }));
    await audit.close();
  };
  await writeAll();
  let index = 0;
  for await (const { end } of readAuditLines({ file })) {
    const rest = await linesOf(file, end);
    expect(rest.map(({ tool }) => tool)).toEqual(names.slice(++index));
  }
  expect(index).toBe(names.length);
  await rm(folder.path, { recursive: true });
  await writeAll();
  expect(await linesOf(file, "1-5")).toHaveLength(names.length);
});

test("incomplete lines are skipped", async () => {
  await using folder = await tempFolder();
  const file = join(folder.path, "audit.log");
  await appendFile(file, `{"time":"2026\n\n[]\nnull\n`);
  const audit = openAudit({ file });
  audit.record(entry());
  await audit.close();
  expect((await linesOf(file)).map(({ tool }) => tool)).toEqual(["git__log"]);
});

test("a line that a crash cut off does not spoil the next one", async () => {
  await using folder = await tempFolder();
  const file = join(folder.path, "audit.log");
  await appendFile(file, `{"time":"2026`);
  const audit = openAudit({ file });
  audit.record(entry({ tool: "one" }));
  await audit.close();
  await appendFile(file, `{"time":"2026`);
  audit.record(entry({ tool: "two" }));
  await audit.close();
  expect((await linesOf(file)).map(({ tool }) => tool)).toEqual(["one", "two"]);
});

test("the lines of a turn are in the file before any answer of the turn leaves", async () => {
  await using folder = await tempFolder();
  const file = join(folder.path, "audit.log");
  const audit = openAudit({ file });
  const answered = Promise.withResolvers<string>();
  atTurnEnd(() => answered.resolve(readFileSync(file, "utf8")));
  for (const tool of ["one", "two"]) audit.record(entry({ tool }));
  expect((await answered.promise).match(/one|two/g)).toEqual(["one", "two"]);
  await audit.close();
});

test("a failing write is reported once, and the next successful one reports that calls are missing", async () => {
  await using folder = await tempFolder();
  const file = join(folder.path, "audit.log");
  await mkdir(file);
  const said: string[] = [];
  const say = (text: string) => said.push(text);
  const audit = openAudit({ file, log: { ...silentLog, error: say, warn: say } });
  for (let index = 0; index < 3; index++) {
    audit.record(entry());
    await audit.close();
  }
  expect(said).toHaveLength(1);
  await rm(file, { recursive: true });
  audit.record(entry({ tool: "after" }));
  await audit.close();
  expect(said).toEqual([
    "could not write the audit; calls continue without it",
    "writing the audit again; some calls are missing from it",
  ]);
  expect((await linesOf(file)).map(({ tool }) => tool)).toEqual(["after"]);
});

test("reading an audit that does not exist yet gives nothing, and following it waits for the first call", async () => {
  await using folder = await tempFolder();
  const file = join(folder.path, "audit.log");
  expect(await linesOf(file)).toEqual([]);
  const stop = new AbortController();
  const following = readAudit({ file, follow: true, signal: stop.signal });
  const first = following.next();
  const audit = openAudit({ file });
  audit.record(entry());
  expect((await first).value?.tool).toBe("git__log");
  const second = following.next();
  stop.abort();
  expect((await second).done).toBe(true);
  await audit.close();
});
