import { PassThrough } from "node:stream";
import * as fc from "fast-check";
import { expect, test, vi } from "vitest";
import type { Choice } from "../../src/catalog/advice.ts";
import { type ApprovalQuestion, createClientAsker } from "../../src/catalog/guard/askers.ts";
import { createTerminalAsker } from "../../src/cli/terminal/terminal-asker.ts";
import type { Policy } from "../../src/core/config/policy-config.ts";
import { codeOf } from "../../src/core/fault.ts";
import { createDesktopAsker } from "../../src/sources/machine/desktop-asker.ts";
import type { Notification } from "../../src/sources/machine/notifications.ts";
import { createPrompt } from "../../src/plugin/calls/approval-prompt.ts";
import { expectWhole, largeCalls, randomCalls } from "../support/shown-calls.ts";
import { startGuard } from "../support/start-guard.ts";
import { testContext } from "../support/test-source.ts";

vi.setConfig({ testTimeout: 120_000 });

const ask: Policy = { rules: [{ verdict: "ask" }] };
const signal = new AbortController().signal;

test("whatever a call is, a person sees every character of it, or is not offered a yes", async () => {
  await using hub = await startGuard({ policy: ask });
  const isShown = fc.asyncProperty(randomCalls, (args) => check(hub, args));
  await expect(fc.assert(isShown, { numRuns: 150 })).resolves.toBeUndefined();
});

test.for(largeCalls)("%s", async ([, args]) => {
  await using hub = await startGuard({ policy: ask });
  await expect(check(hub, args)).resolves.toBeUndefined();
});

type Guarded = Awaited<ReturnType<typeof startGuard>>;

async function check(hub: Guarded, args: object): Promise<void> {
  expect((await hub.call("git__push", args)).isError).toBe(true);
  const { id } = (await hub.approvals.list()).waiting.at(-1)!;
  const { text: shown = "" } = await hub.approvals.show(id);
  expectWhole(shown, args);
  const choices: readonly Choice[] = ["once", "always", "never"];
  const caller = { door: "mcp-http" as const };
  const question = { id, tool: "git__push", source: "git", caller, text: shown, choices, expiresAt: 0 };
  await checkTerminal(question, args);
  await checkDesktop(question, args);
  await checkClient(question, args);
  await checkChat(hub, args);
  // The stored record is approved only if it is whole.
  const stored = await hub.command().show(id);
  if (stored.text !== undefined) expectWhole(stored.text, args);
  const refusal = stored.text === undefined ? await hub.command().answer(id, "once").catch(codeOf) : "denied";
  expect(refusal).toBe("denied");
  // What was shown is what runs.
  await hub.approvals.answer(id, "once");
  expect((await hub.call("git__push", args)).isError).toBeUndefined();
  expect(hub.source.calls.at(-1)?.args).toEqual(args);
}

async function checkTerminal(question: ApprovalQuestion, args: object): Promise<void> {
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  let shown = "";
  let pages = 0;
  const write = (written: string): void => {
    shown += written;
    const typed = written.endsWith("n = no) ") ? (pages++ < 2 ? "\n" : "a\n") : "y\n";
    if (written.endsWith(") ")) setImmediate(() => stdin.write(typed));
  };
  const asker = createTerminalAsker({ stdin, stderr: { isTTY: true, columns: 2_000_000, rows: 50, write } });
  expect(await asker.ask(question, signal)).toBe("once");
  const end = shown.lastIndexOf("Allow it? (y = once");
  expectWhole(shown.slice(0, end - 1).replaceAll(/\(page \d+ of \d+: .*?n = no\) /g, ""), args);
}

async function checkDesktop(question: ApprovalQuestion, args: object): Promise<void> {
  const notices: Notification[] = [];
  const notifications = {
    probe: () => Promise.resolve({ ok: true as const }),
    hasButtons: () => Promise.resolve(true),
    show: (notice: Notification) => Promise.resolve((notices.push(notice), {})),
  };
  await createDesktopAsker(notifications).ask(question, signal);
  const [notice] = notices;
  if (notice?.buttons?.some((label) => /allow/i.test(label))) expectWhole(notice.body, args);
  else expect(notice?.buttons).toEqual(["Deny"]);
}

/** OpenClaw cuts a description at 512 characters, without a word. */
async function checkChat(hub: Guarded, args: object): Promise<void> {
  const tool = hub.catalog.find("git__push")!;
  const question = await hub.guard.preview(tool, args, testContext().caller);
  if (question.verdict !== "ask") throw new TypeError("it does not ask");
  const { description, allowedDecisions } = await createPrompt({ title: "t", tool, ticket: undefined, question });
  if (allowedDecisions?.includes("allow-once")) expectWhole(description.slice(0, 512), args);
  else expect(allowedDecisions).toEqual(["deny"]);
}

async function checkClient(question: ApprovalQuestion, args: object): Promise<void> {
  const asked: {
    readonly message: string;
    readonly requestedSchema: { properties: { answer: { enum: string[] } } };
  }[] = [];
  const context = testContext({
    ask(request) {
      asked.push(request.params as unknown as (typeof asked)[number]);
      return Promise.resolve({ action: "decline" });
    },
  });
  await createClientAsker(context).ask(question, signal);
  const [form] = asked;
  const offered = form?.requestedSchema.properties.answer.enum ?? [];
  if (offered.includes("once")) expectWhole(form!.message, args);
  else expect(offered).toEqual(["no"]);
}
