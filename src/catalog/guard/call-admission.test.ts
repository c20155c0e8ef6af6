import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { startGuard, textOf } from "../../../tests/support/start-guard.ts";
import { testTool } from "../../../tests/support/test-source.ts";
import type { Policy } from "../../core/config/policy-config.ts";
import { Fault } from "../../core/fault.ts";
import { openApprovals } from "./approvals.ts";

const ask: Policy = { rules: [{ verdict: "ask" }] };

test("if no one can be asked, the call is refused, and `clawport approve` allows the next one while the hub runs", async () => {
  await using hub = await startGuard({ policy: ask });
  const result = await hub.call();
  expect(result.isError).toBe(true);
  expect(textOf(result)).toBe(
    "git__push needs approval, but no one is available to approve it: policy.rules[0] requires it. " +
      'Run `clawport approve git__push` to allow it. Or add { tool: "git__push", verdict: "allow" } before policy.rules[0] ' +
      "in the configuration (run `clawport config path` to find it).",
  );
  expect(hub.entries).toMatchObject([{ verdict: "ask", outcome: "denied" }]);

  const command = openApprovals({ file: hub.files.approvals });
  expect((await command.list()).waiting).toMatchObject([{ name: "git__push", source: "git", tool: "push" }]);
  await command.approveWaiting("git__push");
  hub.pass(1500);
  expect((await hub.call()).isError).toBeUndefined();
  expect((await hub.call("git__push", {}, { caller: { token: "other" } })).isError).toBe(true);

  await command.forget("git__push");
  hub.pass(1500);
  expect((await hub.call()).isError).toBe(true);
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

test("`never` is remembered, and the denial says how to undo it", async () => {
  await using hub = await startGuard({ policy: ask });
  const questions = hub.person("never");
  await hub.call();
  expect(textOf(await hub.call())).toContain("clawport approve git__push");
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

test("calls that need the same approval at the same time ask once; a different question waits, and is dropped if the answer covers it", async () => {
  await using hub = await startGuard({ policy: ask });
  const questions = hub.person("always", "never");
  const results = await Promise.all([hub.call(), hub.call(), hub.call("git__push", { other: true })]);
  expect(results.map(({ isError }) => isError)).toEqual([undefined, undefined, undefined]);
  expect(questions).toHaveLength(1);
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
  expect(existsSync(hub.files.approvals)).toBe(false);
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
  expect(hub.entries).toMatchObject([{ outcome: "cancelled" }]);
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

test("a change that a person allows once is asked about again", async () => {
  await using hub = await startGuard();
  await hub.call();
  hub.source.offer([testTool("push", { description: "new" })]);
  const questions = hub.person("once", "always");
  for (let call = 0; call < 3; call++) expect((await hub.call()).isError).toBeUndefined();
  expect(questions).toHaveLength(2);
  expect(questions[0]?.text).toContain("+   new");
});
