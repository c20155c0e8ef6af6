import { expect, test } from "vitest";
import { Fault } from "./fault.ts";
import { createLiveLog, createLog, type Log, type LogOptions } from "./log.ts";

test("a change of level and format applies at once, also to logs that were made before it", () => {
  const lines: string[] = [];
  const log = createLiveLog({ level: "info", format: "human", write: (line) => lines.push(line) });
  const made = log.with({ server: "notes" }).with({ id: 7 });
  made.debug("unseen");
  log.change({ level: "debug", format: "json" });
  made.debug("seen");
  log.change({ level: "error" });
  made.warn("unseen");
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
    { time: expect.any(String) as string, level: "debug", message: "seen", server: "notes", id: 7 },
  ]);
});

function record(options: Partial<LogOptions> = {}): { log: Log; lines: string[] } {
  const lines: string[] = [];
  const now = (): Date => new Date("2026-01-02T03:04:05.678Z");
  return {
    lines,
    log: createLog({ level: "debug", format: "human", now, write: (line) => lines.push(line), ...options }),
  };
}

test("lines below the level are not written", () => {
  const { log, lines } = record({ level: "warn" });
  log.debug("a");
  log.info("b");
  log.warn("c");
  log.error("d");
  expect(lines.map((line) => line.at(-1))).toEqual(["c", "d"]);
});

test("a human line has the time, the level, the message and its fields", () => {
  const { log, lines } = record();
  log.with({ server: "tavily" }).info("connected", { tools: 2, note: "two words", gone: undefined });
  expect(lines).toEqual(['03:04:05.678 info  connected server=tavily tools=2 note="two words"']);
});

test("a JSON line is one object, and no field can pose as the time, the level or the message", () => {
  const { log, lines } = record({ format: "json" });
  log.warn("told", { level: "debug", message: "no", a: [1] });
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    { time: "2026-01-02T03:04:05.678Z", level: "warn", message: "told", _level: "debug", _message: "no", a: [1] },
  ]);
});

test.each(["human", "json"] as const)("secrets are masked in message and fields of %s lines", (format) => {
  const { log, lines } = record({ format });
  log.with({ apiKey: "k-123456" }).error("sent Bearer abcdef123456", { headers: { authorization: "x-123456" } });
  expect(lines.join()).not.toMatch(/123456/);
});

test("an error is printed with its code, its message and what caused it", () => {
  const { log, lines } = record();
  const cause = Object.assign(new Error("address in use"), { code: "EADDRINUSE" });
  log.error("no start", { error: new Fault("conflict", "The port is taken.", { cause }) });
  expect(lines[0]).toContain('error="conflict: The port is taken. ← EADDRINUSE: address in use"');
});

test("text from a peer can't begin a line, colour the terminal or turn the reading direction", () => {
  const { log, lines } = record();
  log.info("a\nb\u001B[31mc\u202Ed", { peer: "x\r\ny\u0007\u009B" });
  // eslint-disable-next-line no-control-regex
  expect(lines[0]).not.toMatch(/[\u0000-\u001F\u007F-\u009F\u202E]/);
  expect(lines[0]).toContain("a\\nb\\u001b");
});

test("colours appear only when asked for", () => {
  const plain = record();
  const colored = record({ color: true });
  plain.log.warn("x");
  colored.log.warn("x");
  expect(plain.lines[0]).not.toContain("\u001B");
  expect(colored.lines[0]).toContain("\u001B[33mwarn");
});

test("the last lines of a live log can be read again, without colours and bounded", () => {
  const log = createLiveLog({ level: "info", format: "human", color: true, write: () => {} });
  for (let n = 1; n <= 1700; n++) log.info(`line ${n}`);
  log.warn("x".repeat(10_000));
  const lines = log.recent?.() ?? [];
  expect(lines).toHaveLength(500);
  expect(lines[0]).toMatch(/^[\d:.]+ info {2}line 1202$/);
  expect(lines.at(-1)).toMatch(/^[\d:.]+ warn {2}x{3900,}…$/);
});
