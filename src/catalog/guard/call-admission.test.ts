import { writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { startGuard, textOf } from "../../../tests/support/start-guard.ts";
import { testContext, testTool } from "../../../tests/support/test-source.ts";
import { until } from "../../../tests/support/until.ts";
import type { Policy } from "../../core/config/policy-config.ts";
import { Fault } from "../../core/fault.ts";
import type { ApprovalAnswer } from "../advice.ts";

const ask: Policy = { rules: [{ verdict: "ask" }] };

test("if no one can be asked, the call is refused, and an approval allows exactly that call once", async () => {
  await using hub = await startGuard({ policy: ask });
  const result = await hub.call("git__push", { branch: "a", force: false });
  expect(result.isError).toBe(true);
  expect(textOf(result)).toBe(
    "git__push needs approval, but no one is available to approve it: policy.rules[0] requires it.",
  );
  expect(hub.entries).toMatchObject([{ verdict: "ask", outcome: "denied" }]);

  const command = hub.command();
  const { waiting } = await command.list();
  expect(waiting).toMatchObject([
    { id: "1", name: "git__push", source: "git", tool: "push", arguments: '{"branch":"a","force":false}' },
  ]);
  await command.answer("1", "once");
  expect((await hub.call("git__push", { branch: "b", force: false })).isError).toBe(true);
  const other = { caller: { token: "other" } };
  expect((await hub.call("git__push", { branch: "a", force: false }, other)).isError).toBe(true);
  expect((await hub.call("git__push", { force: false, branch: "a" })).isError).toBeUndefined();
  expect((await hub.call("git__push", { branch: "a", force: false })).isError).toBe(true);
  expect(hub.entries.at(-2)).toMatchObject({ verdict: "ask", why: "policy.rules[0]: once by terminal", outcome: "ok" });
});

test("a refused call that is made again stays one in the list, and a client can't push out the calls of others", async () => {
  await using hub = await startGuard({ policy: ask });
  await hub.call("git__push", { mine: true }, { caller: { token: "other" } });
  for (let call = 0; call < 3; call++) await hub.call();
  for (let number = 0; number < 30; number++) await hub.call("git__push", { number });
  const { waiting } = await hub.command().list();
  expect(waiting).toHaveLength(21);
  expect(waiting[0]).toMatchObject({ id: "1", caller: { token: "other" } });
  expect(waiting.at(-1)).toMatchObject({ arguments: '{"number":29}' });
});

test("an approval that is not used within an hour is gone, and so is a refused call after a day", async () => {
  await using hub = await startGuard({ policy: ask });
  await hub.call();
  await hub.command().answer("1", "once");
  hub.pass(3_600_001);
  expect((await hub.call()).isError).toBe(true);
  hub.pass(24 * 3_600_000);
  expect((await hub.command().list()).waiting).toEqual([]);
});

test.each([
  ["always", undefined, [undefined, undefined, true, true]],
  ["always", "tool", [undefined, undefined, undefined, true]],
  ["always", "caller", [undefined, undefined, true, undefined]],
] as const)("an answer lasts for as much as it says: %s, widened to %s", async (choice, widened, results) => {
  await using hub = await startGuard({ policy: ask, tools: ["push", "pull"] });
  await hub.call();
  await hub.command().answer("1", choice, widened);
  const other = { caller: { token: "other" } };
  const calls = [
    await hub.call(),
    await hub.call("git__push", { other: true }),
    await hub.call("git__push", {}, other),
    await hub.call("git__pull"),
  ];
  expect(calls.map(({ isError }) => isError)).toEqual(results);
  await hub.command().forget(widened === "caller" ? "main" : "git__push");
  hub.pass(1001);
  expect((await hub.call()).isError).toBe(true);
});

test("an answer for every tool of a caller is not for a server that uses the model meanwhile", async () => {
  await using hub = await startGuard({ policy: ask });
  await hub.call();
  await hub.command().answer("1", "always", "caller");
  expect((await hub.call("git__push", {}, { caller: { server: "docs" } })).isError).toBe(true);
});

test("an approval is for the question that was asked: a changed definition asks again", async () => {
  await using hub = await startGuard({ policy: ask });
  await hub.call();
  hub.source.offer([testTool("push", { description: "changed" })]);
  await hub.command().answer("1", "once");
  expect((await hub.call()).isError).toBe(true);
});

test("an answer that a door brings along is for the question that it showed", async () => {
  await using hub = await startGuard({ policy: ask, tools: ["push", "pull"] });
  const caller = { door: "plugin" as const };
  const answerFor = async (name: string, choice: ApprovalAnswer) => {
    const seen = await hub.guard.preview(hub.catalog.find(name)!, {}, caller);
    const approval = { choice, hash: seen.verdict === "ask" ? seen.hash : "" };
    return (args: object) =>
      hub.guard.call(hub.catalog.find(name)!, args, { ...testContext({ caller }), approval }).then(textOf);
  };
  const pull = await answerFor("git__pull", "once");
  expect(await pull({ a: 1 })).toContain("needs approval");
  expect(await pull({})).toBe("pull");
  const push = await answerFor("git__push", "always");
  hub.source.offer([testTool("push", { description: "changed" })]);
  expect(await push({})).toContain("needs approval");
  expect(await hub.pins.list()).toMatchObject([{ name: "git__push", state: "changed" }]);
});

test("who typed a call has approved it, but not a definition that has changed", async () => {
  await using hub = await startGuard({ policy: ask });
  const typed = { ...testContext({ caller: { door: "plugin" } }), approval: { choice: "once" as const } };
  const push = async () => textOf(await hub.guard.call(hub.catalog.find("git__push")!, {}, typed));
  expect(await push()).toBe("push");
  hub.source.offer([testTool("push", { description: "changed" })]);
  expect(await push()).toContain("needs approval");
});

test("a waiting call is listed with its id and can be answered from elsewhere, which ends the other questions", async () => {
  await using hub = await startGuard({ policy: ask });
  const asked = Promise.withResolvers<{ id: string | undefined; signal: AbortSignal }>();
  hub.askers.add({
    id: "x",
    kind: "terminal",
    available: () => true,
    ask: ({ id }, signal) => (asked.resolve({ id, signal }), new Promise(() => {})),
  });
  const result = hub.call("git__push", { branch: "a" });
  const { id, signal } = await asked.promise;
  expect((await hub.command().list()).waiting).toMatchObject([{ id, openUntil: expect.any(String) as string }]);
  await hub.command().answer(id!, "once");
  expect((await result).isError).toBeUndefined();
  expect(signal.reason).toBe("answered elsewhere: once");
  expect(await hub.command().list()).toMatchObject({ waiting: [], answered: [], approvals: [] });
});

test.each([
  ["server", "another text", [], /definition has changed since the question was asked/],
  ["server", "what it was first", ["push"], /^$/],
  ["app", "another text", [], /definition has changed since the question was asked/],
  ["app", "what it was first", ["push"], /^$/],
] as const)(
  "what a source (%s) changes while the question is open does not run: %s",
  async (kind, description, expected, text) => {
    const ran: string[] = [];
    const call = (name: string) => (ran.push(name), Promise.resolve({ content: [] }));
    await using hub = await startGuard({ source: { call, kind } });
    hub.source.offer([testTool("push", { description: "what it was first" })]);
    if (kind === "server") await hub.pins.accept("git__push");
    hub.guard.setPolicy(ask);
    const asked = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<ApprovalAnswer>();
    hub.askers.add({ id: "x", kind: "console", available: () => true, ask: () => (asked.resolve(), answer.promise) });
    const result = hub.call();
    await asked.promise;
    hub.source.offer([testTool("push", { description }), testTool("pull")]);
    answer.resolve("once");
    expect(textOf(await result)).toMatch(text);
    expect(ran).toEqual(expected);
  },
);

test.each([
  ["another text", [], /prompts\/get was not run: its definition has changed since the question was asked/],
  ["what it was first", ["commit"], /^fetched$/],
] as const)(
  "a prompt that changes while its question is open is not fetched: %s",
  async (description, expected, text) => {
    const fetched: string[] = [];
    let listed = { name: "commit", description: "what it was first" };
    const getPrompt = (name: string) => (fetched.push(name), Promise.resolve({ messages: [] }));
    const policy: Policy = { rules: [{ source: "git", verdict: "ask" }] };
    await using hub = await startGuard({ policy, source: { kind: "app", prompts: () => [listed], getPrompt } });
    const asked = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<ApprovalAnswer>();
    hub.askers.add({ id: "x", kind: "console", available: () => true, ask: () => (asked.resolve(), answer.promise) });
    const view = hub.catalog.view("all");
    const result = hub.guard.getPrompt(view, "git__commit", {}, testContext()).then(
      () => "fetched",
      (error: unknown) => String(error),
    );
    await asked.promise;
    listed = { name: "commit", description };
    answer.resolve("once");
    expect(await result).toMatch(text);
    expect(fetched).toEqual(expected);
  },
);

test("with four callers waiting, an answer reaches one of them", async () => {
  await using hub = await startGuard({ policy: ask });
  hub.askers.add({ id: "x", kind: "terminal", available: () => true, ask: () => new Promise(() => {}) });
  const stop = new AbortController();
  const callers = ["a", "b", "c", "d"].map((token) => ({ token }));
  const results = callers.map((caller) => hub.call("git__push", {}, { caller, signal: stop.signal }));
  await until(async () => (await hub.command().list()).waiting.length === 4);
  const { waiting } = await hub.command().list();
  const chosen = waiting.find(({ caller }) => caller.token === "c")!;
  await hub.command().answer(chosen.id, "once");
  expect((await results[2]!).isError).toBeUndefined();
  expect((await hub.command().list()).waiting.map(({ caller }) => caller.token)).not.toContain("c");
  stop.abort();
  await Promise.allSettled(results);
  expect((await hub.command().list()).waiting).toEqual([]);
});

test("a call can be refused from elsewhere, and is then no longer listed", async () => {
  await using hub = await startGuard({ policy: ask });
  hub.askers.add({ id: "x", kind: "terminal", available: () => true, ask: () => new Promise(() => {}) });
  const result = hub.call();
  await until(async () => (await hub.command().list()).waiting.length === 1);
  await hub.command().answer("1", "no");
  expect(textOf(await result)).toContain("the answer was no");
  expect((await hub.command().list()).waiting).toEqual([]);
});

test("secrets in the arguments are masked, and a long value hides no other", async () => {
  await using hub = await startGuard({ policy: ask });
  await hub.call("git__push", { password: "hunter22", content: "x".repeat(5000), path: "/etc/shadow" });
  const [call] = (await hub.command().list()).waiting;
  expect(call?.arguments).toContain('"password":"[redacted]"');
  expect(call?.arguments).toContain('"path":"/etc/shadow"');
  expect(call?.arguments).toContain("… (5000 characters)");
});

test("answers and waiting calls of the first format: always means what it meant, and waiting calls ask again", async () => {
  await using hub = await startGuard({ policy: ask });
  const call = { name: "git__push", source: "git", tool: "push", at: "2023-11-14T22:13:20.000Z" };
  const approvals = [{ ...call, caller: { door: "mcp-http", token: "main" }, choice: "always" }];
  const waiting = [{ ...call, caller: { door: "mcp-http", token: "other" }, reason: "policy asks" }];
  await writeFile(hub.files.approvals, JSON.stringify({ approvals, waiting }));
  expect((await hub.call("git__push", { any: "arguments" })).isError).toBeUndefined();
  expect((await hub.call("git__push", {}, { caller: { token: "other" } })).isError).toBe(true);
  expect((await hub.command().list()).waiting).toMatchObject([{ id: "1", caller: { token: "other" } }]);
});

test("`once` allows one call, `always` every call of this tool by this caller, across restarts", async () => {
  await using hub = await startGuard({ policy: ask, tools: ["push", "pull"] });
  const questions = hub.person("once", "always", undefined, undefined);
  expect((await hub.call()).isError).toBeUndefined();
  expect((await hub.call()).isError).toBeUndefined();
  expect((await hub.call()).isError).toBeUndefined();
  expect(questions).toHaveLength(2);
  expect((await hub.call("git__pull")).isError).toBe(true);
  expect((await hub.call("git__push", {}, { caller: { sender: "stranger" } })).isError).toBe(true);
  expect(questions).toHaveLength(4);

  await using again = await startGuard({ policy: ask, folder: hub.home });
  expect((await again.call()).isError).toBeUndefined();
});

test("what a person always allows of an app is for the definition that they saw; what they never allow, for all", async () => {
  for (const [choice, other] of [
    ["always", /no one answered/],
    ["never", /an earlier answer was "never"/],
  ] as const) {
    await using hub = await startGuard({ policy: ask, source: { kind: "app" } });
    hub.person(choice);
    await hub.call();
    const known = textOf(await hub.call());
    hub.source.offer([testTool("push", { description: "another text" })]);
    expect(textOf(await hub.call())).toMatch(other);
    hub.source.offer([testTool("push")]);
    expect(textOf(await hub.call())).toBe(known);
  }
});

test("what a caller may never do, no agent does for it; what it may always do, its agent asks for", async () => {
  await using hub = await startGuard({ policy: ask, tools: ["push", "pull"] });
  const questions = hub.person("never", "always", "no");
  const agent = { caller: { agent: "clawport" } };
  for (const tool of ["git__push", "git__pull"]) await hub.call(tool);
  expect(textOf(await hub.call("git__push", {}, agent))).toBe('git__push was denied: an earlier answer was "never".');
  expect(questions).toHaveLength(2);
  expect((await hub.call("git__pull", {}, agent)).isError).toBe(true);
  expect(questions[2]?.text).toContain("agent clawport, token main (mcp-http) asks to use git__pull");
});

test("`never` is remembered, and the denial says so without a way around it", async () => {
  await using hub = await startGuard({ policy: ask });
  const questions = hub.person("never");
  await hub.call();
  expect(textOf(await hub.call())).toBe('git__push was denied: an earlier answer was "never".');
  expect(questions).toHaveLength(1);
  expect(hub.source.calls).toEqual([]);
});

test("the question names the caller, the tool and the arguments, with invisible characters spelled out", async () => {
  await using hub = await startGuard({ policy: { rules: [{ verdict: "ask", reason: "it is Friday" }] } });
  const [question] = [hub.person("once")];
  await hub.call("git__push", { branch: "a\u202eb" }, { caller: { client: "Cur\u001bsor", sessionKey: "secret" } });
  expect(question[0]).toMatchObject({ tool: "git__push", source: "git", choices: ["once", "always", "never"] });
  expect(question[0]?.text).toBe(
    [
      String.raw`"Cur\u{1b}sor", token main (mcp-http) asks to use git__push from git.`,
      "Approval is needed because policy.rules[0] requires it: it is Friday.",
      String.raw`Arguments: {"branch":"a\u{202e}b"}`,
    ].join("\n"),
  );
  expect(JSON.stringify(question)).not.toContain("secret");
});

test("every call has its own question, unless a lasting answer to another one covers it", async () => {
  await using hub = await startGuard({ policy: ask });
  const asked: { answer(choice: ApprovalAnswer): void }[] = [];
  hub.askers.add({
    id: "x",
    kind: "terminal",
    available: () => true,
    ask: () => new Promise((resolve) => asked.push({ answer: resolve })),
  });
  const results = [hub.call(), hub.call(), hub.call("git__push", { other: true })];
  await until(() => asked.length === 3);
  asked[0]?.answer("once");
  expect((await Promise.race(results)).isError).toBeUndefined();
  expect(hub.source.calls).toHaveLength(1);
  asked[1]?.answer("always");
  for (const result of results) expect((await result).isError).toBeUndefined();
  expect(asked).toHaveLength(3);
});

test("with several askers the first answer counts and ends the other questions", async () => {
  await using hub = await startGuard({ policy: ask });
  const ended = Promise.withResolvers<void>();
  hub.askers.add({
    id: "slow",
    kind: "desktop",
    available: () => true,
    ask: (_, signal) =>
      new Promise((resolve) => {
        signal.addEventListener("abort", () => {
          ended.resolve();
          resolve("never");
        });
      }),
  });
  hub.askers.add({
    id: "broken",
    kind: "terminal",
    available: () => true,
    ask: () => Promise.reject(new Error("tty")),
  });
  hub.person("once");
  expect((await hub.call()).isError).toBeUndefined();
  await ended.promise;
});

test("the caller gets a notice that its call waits for approval, and for how long, but only if someone is asked", async () => {
  await using hub = await startGuard({ policy: ask });
  const heard: unknown[] = [];
  const tell = ({ data }: { data: unknown }) => void heard.push(data);
  await hub.call("git__push", {}, { tell });
  expect(heard).toEqual([]);
  hub.person("once");
  await hub.call("git__push", {}, { tell });
  expect(heard).toEqual([expect.stringMatching(/^Waiting for approval of git__push, for up to \d+ seconds\.$/)]);
});

test("a plain no refuses this call only, and leaves no call waiting for approval", async () => {
  await using hub = await startGuard({ policy: ask });
  const questions = hub.person("no", "once");
  const refusal = textOf(await hub.call());
  expect(refusal).toContain("the answer was no");
  expect(refusal).not.toContain("clawport approve");
  expect((await hub.command().list()).waiting).toEqual([]);
  expect((await hub.call()).isError).toBeUndefined();
  expect(questions).toHaveLength(2);
});

test("no answer in time is a no", async () => {
  await using hub = await startGuard({ policy: ask, askTimeoutMs: 20 });
  hub.askers.add({ id: "x", kind: "console", available: () => true, ask: () => new Promise(() => {}) });
  expect(textOf(await hub.call())).toContain("no one answered");
});

test("a cancelled call withdraws its question and faults", async () => {
  await using hub = await startGuard({ policy: ask });
  const asked = Promise.withResolvers<AbortSignal>();
  hub.askers.add({
    id: "x",
    kind: "console",
    available: () => true,
    ask: (_, signal) => (asked.resolve(signal), new Promise(() => {})),
  });
  const stop = new AbortController();
  const result = hub.call("git__push", {}, { signal: stop.signal });
  const question = await asked.promise;
  stop.abort();
  await expect(result).rejects.toMatchObject({ code: "cancelled" });
  expect(question.aborted).toBe(true);
  // It was asked about, not denied.
  expect(hub.entries).toMatchObject([
    { verdict: "ask", why: expect.stringMatching(/: ended before an answer$/), outcome: "cancelled" },
  ]);
});

test("if the rule permits it, the calling client asks its user", async () => {
  await using hub = await startGuard({ policy: { rules: [{ verdict: "ask", askClient: true }] } });
  const asked: unknown[] = [];
  const reply = (content: object) => (question: unknown) => {
    asked.push(question);
    return Promise.resolve({ action: "accept", content });
  };
  expect((await hub.call("git__push", {}, { ask: reply({ answer: "once" }) })).isError).toBeUndefined();
  expect(asked).toMatchObject([
    {
      method: "elicitation/create",
      params: { requestedSchema: { properties: { answer: { enum: ["once", "always", "never"] } } } },
    },
  ]);
  expect((await hub.call("git__push", {}, { ask: reply({ answer: "whatever" }) })).isError).toBe(true);
  const unable = () => Promise.reject(new Fault("missing-capability", "no forms"));
  expect((await hub.call("git__push", {}, { ask: unable })).isError).toBe(true);
});

test("a source's advice counts, the question shows its detail, and the source gets lasting answers", async () => {
  const kept: string[] = [];
  await using hub = await startGuard({
    source: {
      kind: "machine",
      adviceOn: (_, args) =>
        JSON.stringify(args).includes("rm")
          ? {
              by: "exec approval",
              verdict: "ask",
              reason: "this command is not on the list",
              detail: "rm -r x",
              remember: (choice) => Promise.resolve(void kept.push(choice)),
            }
          : undefined,
    },
  });
  expect((await hub.call("git__push", { command: "ls" })).isError).toBeUndefined();
  const questions = hub.person("always");
  expect((await hub.call("git__push", { command: "rm" })).isError).toBeUndefined();
  expect(questions[0]?.text).toContain("rm -r x");
  expect(kept).toEqual(["always"]);
  expect(hub.entries.at(-1)).toMatchObject({ verdict: "ask", why: "exec approval: always by console" });
});

test("policy, consent and a changed pin together make one question", async () => {
  const consent = { by: "consent", verdict: "ask", reason: "the camera asks" } as const;
  await using hub = await startGuard({ source: { adviceOn: () => consent } });
  const questions = hub.person("once", "once");
  await hub.call();
  hub.guard.setPolicy(ask);
  hub.source.offer([testTool("push", { description: "changed" })]);
  expect((await hub.call()).isError).toBeUndefined();
  expect(questions).toHaveLength(2);
  expect(questions[1]?.text).toMatch(
    /rules\[0\] requires it, and because its definition.*, and because the camera asks/,
  );
  expect(questions[1]?.choices).toEqual(["once"]);
});

test("of a changed definition the list and the question have every line, the new ones first", async () => {
  await using hub = await startGuard({ policy: {} });
  const text = (word: string) => Array.from({ length: 300 }, (_, at) => `${word} ${at}.`).join("\n");
  hub.source.offer([testTool("push", { description: text("before") })]);
  await hub.pins.accept("git__push");
  hub.source.offer([testTool("push", { description: text("after") })]);
  const questions = hub.person("no");
  await hub.call();
  for (const shown of [(await hub.pins.list())[0]?.diff ?? "", questions[0]?.text ?? ""]) {
    const [now = "", gone = ""] = shown.split("Removed:");
    for (let at = 0; at < 300; at++) {
      expect(now.replaceAll(/\[\+|\+\]/g, "")).toContain(`after ${at}.`);
      expect(gone).toContain(`before ${at}.`);
    }
  }
});

test("a change that a person allows once is asked about again", async () => {
  await using hub = await startGuard();
  await hub.call();
  hub.source.offer([testTool("push", { description: "new" })]);
  const questions = hub.person("once", "always");
  for (let call = 0; call < 3; call++) expect((await hub.call()).isError).toBeUndefined();
  expect(questions).toHaveLength(2);
  expect(questions[0]?.text).toContain("+   new");
});

test("an approval of one prompt is not for another one with the same arguments", async () => {
  const prompts = [{ name: "one" }, { name: "two" }];
  const getPrompt = (name: string) => Promise.resolve({ description: name, messages: [] });
  await using hub = await startGuard({ policy: ask, source: { prompts: () => prompts, getPrompt } });
  const view = hub.catalog.view("all");
  const get = (name: string) => hub.guard.getPrompt(view, name, {}, testContext());
  await expect(get("git__one")).rejects.toMatchObject({ code: "denied" });
  const [call] = (await hub.command().list()).waiting;
  expect(call).toMatchObject({ name: "prompts/get", arguments: '{"name":"one","arguments":{}}', lasting: false });
  await hub.command().answer("1", "once");
  await expect(get("git__two")).rejects.toMatchObject({ code: "denied" });
  expect(await get("git__one")).toMatchObject({ description: "one" });
  await expect(hub.command().answer("2", "always")).rejects.toMatchObject({ code: "usage" });
});

test("a lasting answer to policy does not answer the question about a changed definition", async () => {
  await using hub = await startGuard({ policy: ask });
  const questions = hub.person("always", "no");
  await hub.call();
  hub.source.offer([testTool("push", { description: "changed" })]);
  expect(textOf(await hub.call())).toContain("the answer was no");
  expect(questions).toHaveLength(2);
});
