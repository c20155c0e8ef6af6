import { expect, test } from "vitest";
import type { Log } from "../../core/log.ts";
import { createRefusedTokens } from "./refused-tokens.ts";

function watch() {
  const lines: { level: string; message: string; fields: unknown }[] = [];
  const at = (level: string) => (message: string, fields?: unknown) => void lines.push({ level, message, fields });
  const log: Log = { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error"), with: () => log };
  let time = 1_700_000_000_000;
  return { lines, pass: (ms: number) => (time += ms), refused: createRefusedTokens(log, () => time) };
}

test("wrong and missing tokens are counted and logged with the user agent", () => {
  const { refused, lines } = watch();
  refused.note("wrong", { authorization: "Bearer hunter2hunter2", "user-agent": "claude-code/2.1" });
  refused.note("missing", {});
  expect(refused.counts()).toEqual({
    wrong: 1,
    missing: 1,
    last: { at: "2023-11-14T22:13:20.000Z", userAgent: "claude-code/2.1" },
  });
  expect(lines).toEqual([
    { level: "warn", message: "refused a client with a wrong token", fields: { userAgent: "claude-code/2.1" } },
    { level: "info", message: "refused a client without a token", fields: { userAgent: undefined } },
  ]);
});

test("the token never gets into the log or the counts, wherever the client puts it", () => {
  const { refused, lines } = watch();
  refused.note("wrong", { authorization: "Bearer hunter2hunter2", "user-agent": "x hunter2hunter2 y" });
  expect(JSON.stringify([lines, refused.counts()])).not.toContain("hunter2");
});

test("a user agent is bounded, and its invisible characters are spelled out", () => {
  const { refused } = watch();
  refused.note("wrong", { "user-agent": `\u001b[31m${"x".repeat(5000)}` });
  const agent = refused.counts().last?.userAgent ?? "";
  expect(agent.length).toBeLessThan(200);
  expect(agent).not.toContain("\u001b");
});

test("a client that tries again and again does not fill the log, and what was left out is counted", () => {
  const { refused, lines, pass } = watch();
  for (let attempt = 0; attempt < 10_000; attempt++) refused.note("wrong", {});
  expect(refused.counts().wrong).toBe(10_000);
  const burst = lines.length;
  expect(burst).toBeLessThan(10);
  pass(60_000);
  refused.note("wrong", {});
  expect(lines.at(-1)).toMatchObject({ fields: { notLogged: 10_000 - burst } });
});
