import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { testContext } from "../../../tests/support/test-source.ts";
import { until } from "../../../tests/support/until.ts";
import type { Choice } from "../../catalog/advice.ts";
import { createTerminalAsker } from "./terminal-asker.ts";

function openTerminal(isTTY = true) {
  const input = Object.assign(new PassThrough(), { isTTY });
  let shown = "";
  const stderr = { isTTY, write: (text: string) => (shown += text) };
  return { asker: createTerminalAsker({ stdin: input, stderr }), input, shown: () => shown };
}

const question = (text: string) => ({
  id: "1",
  tool: "git__push",
  source: "git",
  caller: { door: "mcp-http" as const },
  text,
  choices: ["once", "always", "never"] as readonly Choice[],
  expiresAt: 0,
});
const signal = new AbortController().signal;

test.each([
  ["once", "once"],
  ["a", "always"],
  ["NEVER", "never"],
  ["n", "no"],
  ["no", "no"],
  ["", "no"],
])("typed %j means %j", async (typed, choice) => {
  const { asker, input, shown } = openTerminal();
  const answer = asker.ask(question("May it?"), signal);
  await until(() => shown().includes("May it?"));
  input.write(`${typed}\n`);
  expect(await answer).toBe(choice);
});

test("what is none of the answers is asked again", async () => {
  const { asker, input, shown } = openTerminal();
  const answer = asker.ask(question("May it?"), signal);
  await until(() => shown().includes("May it?"));
  input.write("maybe\n");
  await until(() => shown().includes("Please type one of these: no, once, always, never"));
  input.write("once\n");
  expect(await answer).toBe("once");
});

test("what was typed before the question was shown is no answer to it", async () => {
  const { asker, input, shown } = openTerminal();
  input.write("always\n");
  const answer = asker.ask(question("May it?"), signal);
  await until(() => shown().includes("May it?"));
  input.write("no\n");
  expect(await answer).toBe("no");
});

test("two questions come one after the other", async () => {
  const { asker, input, shown } = openTerminal();
  const first = asker.ask(question("First?"), signal);
  const second = asker.ask(question("Second?"), signal);
  await until(() => shown().includes("First?"));
  expect(shown()).not.toContain("Second?");
  input.write("once\n");
  expect(await first).toBe("once");
  await until(() => shown().includes("Second?"));
  input.write("always\n");
  expect(await second).toBe("always");
});

test("a question that was answered elsewhere is taken back", async () => {
  const { asker, shown } = openTerminal();
  const elsewhere = new AbortController();
  const answer = asker.ask(question("May it?"), elsewhere.signal);
  await until(() => shown().includes("May it?"));
  elsewhere.abort();
  expect(await answer).toBeUndefined();
});

test("nobody is there without a terminal", () => {
  expect(openTerminal(false).asker.available(testContext())).toBe(false);
  expect(openTerminal().asker.available(testContext())).toBe(true);
});
