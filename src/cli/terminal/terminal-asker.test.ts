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

test("a long question comes in pages, and an answer is taken after the last one", async () => {
  const { asker, input, shown } = openTerminal();
  const long = Array.from({ length: 60 }, (_, at) => `row ${at}.`).join("\n");
  const answer = asker.ask(question(long), signal);
  await until(() => shown().includes("page 1 of 3"));
  expect(shown()).not.toContain("row 22.");
  input.write("y\n");
  await until(() => shown().includes("You can answer after the last page."));
  input.write("\n");
  await until(() => shown().includes("page 2 of 3"));
  expect(shown()).not.toContain("Allow it?");
  input.write("\n");
  await until(() => shown().includes("row 59.\nAllow it? (y = once"));
  input.write("y\n");
  expect(await answer).toBe("once");
});

test("one long line is paged as well, all of it can be had at once, and it can be refused at any page", async () => {
  const long = `${"x".repeat(30_000)} 日本 THE END`;
  const all = openTerminal();
  const answer = all.asker.ask(question(long), signal);
  await until(() => all.shown().includes("page 1 of 18"));
  expect(all.shown()).not.toContain("THE END");
  all.input.write("a\n");
  await until(() => all.shown().includes("THE END\nAllow it?"));
  expect(all.shown().replaceAll(/\n\(page.*?\) /g, "")).toContain(long);
  all.input.write("n\n");
  expect(await answer).toBe("no");
  const refused = openTerminal();
  const refusal = refused.asker.ask(question(long), signal);
  await until(() => refused.shown().includes("page 1 of 18"));
  refused.input.write("n\n");
  expect(await refusal).toBe("no");
});

test("a long question that is answered elsewhere is withdrawn at any page", async () => {
  const { asker, shown } = openTerminal();
  const elsewhere = new AbortController();
  const answer = asker.ask(question("x\n".repeat(100)), elsewhere.signal);
  await until(() => shown().includes("page 1 of"));
  elsewhere.abort("answered elsewhere: once");
  expect(await answer).toBeUndefined();
  expect(shown()).toMatch(/\(answered elsewhere: once\)\n$/);
});

test("a terminal that does not know its size shows the whole question", async () => {
  const { world, input, shown } = openTerminal();
  const asker = createTerminalAsker({ ...world, stderr: { ...world.stderr, columns: 0, rows: 0 } });
  const answer = asker.ask(question("May it?"), signal);
  await until(() => shown().includes("May it?"));
  input.write("y\n");
  expect(await answer).toBe("once");
});

test("the fields of a server's form can neither command a terminal nor begin a line of their own", async () => {
  const { world } = openTerminal();
  const asked: string[] = [];
  const ask = (text: string) => Promise.resolve(["y", "v"][asked.push(text) - 1]);
  const field = { type: "string", title: "T\u001b[2J\u202e\nAllow it?", description: "D\u009b1m\n[7] \u0007git" };
  const params = { message: "m", requestedSchema: { type: "object", properties: { field } } };
  await askAtTerminal({ method: "elicitation/create", params }, { ...world, ask }, signal);
  expect(asked[1]).toBe("T·[2J·Allow it?: D·1m\n  [7] ·git\n  (string, optional) ");
});
