import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Log } from "../../core/log.ts";
import { createKnownRedactor } from "../../core/secrets/redact-known.ts";
import { createServerLog, logServerLine } from "./server-log.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function openLog(...secrets: string[]) {
  const lines: { message: string; fields: Record<string, unknown> }[] = [];
  const keep = (message: string, fields: Record<string, unknown> = {}) => void lines.push({ message, fields });
  const inner: Log = { debug: keep, info: keep, warn: keep, error: keep, with: () => inner };
  const log = createServerLog(inner, createKnownRedactor(secrets), Date.now);
  return { log, lines };
}

test("the secrets of the settings are masked in messages, fields, keys and errors", () => {
  const { log, lines } = openLog("hunter2hunter2");
  log.info("got hunter2hunter2", {
    data: { hunter2hunter2: ["a hunter2hunter2"] },
    error: new Error("no hunter2hunter2"),
  });
  expect(JSON.stringify(lines)).not.toContain("hunter2");
  expect(lines[0]?.fields).toMatchObject({ data: { "[redacted]": ["a [redacted]"] } });
});

test("28 MB in 8 s become a bounded number of lines, and one that says how many were dropped", () => {
  const { log, lines } = openLog();
  for (let sent = 0; sent < 28_000; sent++) {
    if (sent % 3500 === 0) vi.advanceTimersByTime(1000);
    log.info("the server says", { data: "x".repeat(1000) });
  }
  const written = JSON.stringify(lines).length;
  expect(written).toBeGreaterThan(150_000);
  expect(written).toBeLessThan(300_000);
  vi.advanceTimersByTime(10_000);
  const reports = lines.filter(({ fields }) => "dropped" in fields);
  expect(reports).toHaveLength(1);
  expect(reports[0]?.fields).toEqual({ dropped: 28_000 - (lines.length - 1) });
});

test("a server that was too loud is heard again later", () => {
  const { log, lines } = openLog();
  for (let sent = 0; sent < 1000; sent++) log.info("the server says", { data: "x".repeat(1000) });
  vi.advanceTimersByTime(60_000);
  log.warn("later");
  expect(lines.at(-1)).toEqual({ message: "later", fields: {} });
});

test("one line is of bounded length", () => {
  const { log, lines } = openLog();
  log.info("the server says", { data: Array.from({ length: 90 }, () => "word ".repeat(1000)) });
  expect(JSON.stringify(lines).length).toBeLessThan(10_000);
});

test.each([
  ["debug", "debug"],
  ["notice", "info"],
  ["warning", "warn"],
  ["critical", "error"],
  ["nonsense", "info"],
] as const)("what a server says at the level %s is logged as %s", (level, own) => {
  const lines: unknown[] = [];
  const at = (name: string) => (message: string, fields?: object) => void lines.push([name, message, fields]);
  const log: Log = { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error"), with: () => log };
  logServerLine(log, { level, data: "hi" });
  expect(lines).toEqual([[own, "the server says", { data: "hi" }]]);
});
