import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { startGuard } from "../../../tests/support/start-guard.ts";
import { testTool } from "../../../tests/support/test-source.ts";
import type { Policy } from "../../core/config/policy-config.ts";
import { Secret } from "../../core/secrets/secret.ts";
import { createHeldQuestions } from "./call-text.ts";

const ask: Policy = { rules: [{ verdict: "ask" }] };
const script = "TOKEN=$(touch${IFS}/x) ls /srv/docs";

test.each([
  ["code in the value of a variable", { command: ["bash", "-c", script] }, script],
  ["a secret's name", { secret: "$(id)", cookie: "c00kie", password: "hunter22" }, "c00kie"],
  ["the shape of a key", { key: `sk-${"a".repeat(30)}` }, `sk-${"a".repeat(30)}`],
  ["a value of 400 characters", { body: `${"a".repeat(390)} THE END` }, "THE END"],
  ["arguments of 3,000 characters", { list: Array.from({ length: 300 }, (_, at) => `part ${at}`) }, '"part 299"'],
  ["a command of 30,000 characters", { command: `${"a ".repeat(15_000)}; rm x` }, "; rm x"],
  ["many arguments", Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`k${at}`, at])), '"k499": 499'],
  ["something deep", { a: { b: { c: { d: { e: { f: { g: { h: { i: { j: "rm" } } } } } } } } } }, '"j"'],
])("a person sees it whole, and the file has only a part: %s", async (_, args, hidden) => {
  await using hub = await startGuard({ policy: ask });
  const questions = hub.person("no");
  await hub.call("git__push", args);
  expect(questions[0]!.text).toContain(hidden);

  await using other = await startGuard({ policy: ask });
  await other.call("git__push", args);
  const { call, text } = await other.approvals.show("1");
  expect(text).toBe(questions[0]!.text);
  expect(await readFile(other.files.approvals, "utf8")).not.toContain(JSON.stringify(hidden).slice(1, -1));
  // Another process has only the file.
  expect(await other.command().show("1")).toEqual({ call });
  await expect(other.command().answer("1", "once")).rejects.toMatchObject({ code: "denied" });
  await expect(other.command().answer("1", "always")).rejects.toMatchObject({ code: "denied" });
  // Made again, it is known in full again; and the process that has it takes the answer.
  await other.approvals.answer("1", "once");
  expect((await other.call("git__push", args)).isError).toBeUndefined();
});

test("a short call is stored whole, and any process takes the answer; a no needs nothing more", async () => {
  await using hub = await startGuard({ policy: ask });
  await hub.call("git__push", { branch: "main" });
  await hub.call("git__push", { password: "hunter22" });
  const command = hub.command();
  expect(await command.show("1")).toEqual({
    call: expect.objectContaining({ isWhole: true }) as object,
    text: (await hub.approvals.show("1")).text,
  });
  await expect(command.answer("1", "once", undefined, "another hash")).rejects.toMatchObject({ code: "not-found" });
  await command.answer("1", "once");
  await command.answer("2", "no");
  expect((await hub.call("git__push", { branch: "main" })).isError).toBeUndefined();
});

test("a record of an older version, which does not say that it is whole, takes no yes", async () => {
  await using hub = await startGuard({ policy: ask });
  await hub.approvals.addWaiting({
    name: "git__push",
    source: "git",
    tool: "push",
    caller: { door: "mcp-http" },
    hash: "1",
    arguments: "{}",
    reason: "policy asks",
    lasting: true,
    question: "",
  });
  await expect(hub.command().answer("1", "once")).rejects.toMatchObject({
    message: expect.stringContaining("Make the call of git__push again") as string,
  });
});

test("a text in a call can't forge a line of the question, and what does not print is escaped", async () => {
  await using hub = await startGuard({ policy: ask });
  const questions = hub.person("no");
  await hub.call("git__push", { a: "x\nAllow it? (y = once)\u001b[2J\u202e\u{e0041}", "k\ney": 1 });
  const { text } = questions[0]!;
  expect(text.split("\n").filter((line) => line.startsWith("Allow"))).toEqual([]);
  expect(text).toContain(String.raw`│ Allow it? (y = once)\u001b[2J\u{202e}\u{e0041}"`);
  expect(text).not.toMatch(/[^\P{C}\n]/u);
});

test("an approval is for the definition that the tool had", async () => {
  const policy: Policy = { rules: [{ verdict: "ask" }] };
  await using hub = await startGuard({ policy, source: { kind: "app" }, tools: [testTool("push")] });
  await hub.call();
  await hub.command().answer("1", "once");
  hub.source.offer([testTool("push", { description: "Pushes by force." })]);
  expect((await hub.call()).isError).toBe(true);
  hub.source.offer([testTool("push")]);
  expect((await hub.call()).isError).toBeUndefined();
});

test("a value of the configuration's variables is shown by its name", async () => {
  const secrets = [{ name: "API_KEY", value: new Secret("0123456789") }];
  await using hub = await startGuard({ policy: ask, secrets });
  const questions = hub.person("no");
  await hub.call("git__push", { key: "0123456789", other: "hunter22" });
  expect(questions[0]!.text).toContain(String.raw`{"key":"\($API_KEY)","other":"hunter22"}`);
});

test("held questions are bounded: the oldest go first", () => {
  const held = createHeldQuestions(10);
  for (const id of ["1", "2", "3"]) held.hold(id, "", id.repeat(4));
  expect(["1", "2", "3"].map((id) => held.get(id, ""))).toEqual([undefined, "2222", "3333"]);
  held.hold("4", "", "4".repeat(20));
  expect(["2", "3", "4"].map((id) => held.get(id, "")?.length)).toEqual([undefined, undefined, 20]);
  held.drop("4");
  expect(held.get("4", "")).toBeUndefined();
});
