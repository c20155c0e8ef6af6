import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { testContext } from "../../../tests/support/test-source.ts";
import { until } from "../../../tests/support/until.ts";
import type { Choice } from "../../catalog/advice.ts";
import type { Question } from "../../mcp/messages/interim-messages.ts";
import { askAtTerminal } from "./ask-at-terminal.ts";
import { readLine } from "./read-line.ts";
import { createTerminalAsker } from "./terminal-asker.ts";

function openTerminal(isTTY = true) {
  const input = Object.assign(new PassThrough(), { isTTY });
  let shown = "";
  const stderr = { isTTY, write: (text: string) => (shown += text) };
  const world = { stdin: input, stderr };
  return { asker: createTerminalAsker(world), world, input, shown: () => shown };
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
  ["y", "once"],
  ["Yes", "once"],
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

test("any other answer is asked for again", async () => {
  const { asker, input, shown } = openTerminal();
  const answer = asker.ask(question("May it?"), signal);
  await until(() => shown().includes("May it?"));
  input.write("maybe\n");
  await until(() => shown().includes("Type one of these: y = once, n = no, always, never"));
  input.write("once\n");
  expect(await answer).toBe("once");
});

test("text typed before the question was shown does not answer it", async () => {
  const { asker, input, shown } = openTerminal();
  input.write("always\n");
  const answer = asker.ask(question("May it?"), signal);
  await until(() => shown().includes("May it?"));
  input.write("no\n");
  expect(await answer).toBe("no");
});

test("two questions are asked one after the other", async () => {
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

test("a server's question waits until the guard's is answered", async () => {
  const { asker, world, input, shown } = openTerminal();
  const approval = asker.ask(question("May it?"), signal);
  const ask = async (text: string): Promise<string | undefined> => {
    world.stderr.write(text);
    return readLine(input);
  };
  const elicitation = {
    method: "elicitation/create",
    params: { mode: "url", url: "https://a.example", message: "Pay." },
  };
  const answer = askAtTerminal(elicitation as Question, { ...world, ask }, signal);
  await until(() => shown().includes("May it?"));
  expect(shown()).not.toContain("Pay.");
  input.write("once\n");
  expect(await approval).toBe("once");
  await until(() => shown().includes("Pay."));
  input.write("y\n");
  expect(await answer).toEqual({ action: "accept" });
});

test("a question that was answered elsewhere is withdrawn with a word", async () => {
  const { asker, shown } = openTerminal();
  const elsewhere = new AbortController();
  const answer = asker.ask(question("May it?"), elsewhere.signal);
  await until(() => shown().includes("May it?"));
  elsewhere.abort("answered elsewhere: once");
  expect(await answer).toBeUndefined();
  expect(shown()).toMatch(/\) \(answered elsewhere: once\)\n$/);
});

test("it is available only at a terminal", () => {
  expect(openTerminal(false).asker.available(testContext())).toBe(false);
  expect(openTerminal().asker.available(testContext())).toBe(true);
});
