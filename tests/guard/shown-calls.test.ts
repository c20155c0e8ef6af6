import { PassThrough } from "node:stream";
import * as fc from "fast-check";
import { expect, test, vi } from "vitest";
import type { Choice } from "../../src/catalog/advice.ts";
import { type ApprovalQuestion, createClientAsker } from "../../src/catalog/guard/askers.ts";
import { createTerminalAsker } from "../../src/cli/terminal/terminal-asker.ts";
import type { Policy } from "../../src/core/config/policy-config.ts";
import { codeOf } from "../../src/core/fault.ts";
import { fitsWhole } from "../../src/core/shown-text.ts";
import { createDesktopAsker } from "../../src/sources/machine/desktop-asker.ts";
import type { Notification } from "../../src/sources/machine/notifications.ts";
import { startGuard } from "../support/start-guard.ts";
import { testContext } from "../support/test-source.ts";

vi.setConfig({ testTimeout: 120_000 });

const ask: Policy = { rules: [{ verdict: "ask" }] };
const signal = new AbortController().signal;

const nasty = fc.constantFrom(
  "\n",
  "\r",
  "\t",
  "\\",
  '"',
  "'",
  "\u001b[2J",
  "\u202e",
  "\u200b",
  "\u{e0041}",
  "\ud800",
  "\udc00",
  "\u00a0",
  "│ ",
  "\u3164",
  "\u2028",
  "e\u0301\u0301\u0301\u0301",
  "\u0301",
  "日本",
  "😀\ufe0f",
  "$TOKEN",
  String.raw`\u{202e}`,
  "[+",
  "\nArguments: {}",
  "\nAllow it? (y = once) ",
  "password=x",
  `sk-${"a".repeat(20)}`,
  "TOKEN=$(id) ls",
  "… (9 characters)",
);
const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.array(fc.oneof(nasty, fc.string({ maxLength: 5 })), { maxLength: 30 }).map((parts) => parts.join("")),
);
const key = fc.oneof(text, fc.constantFrom("secret", "cookie", "password", "__proto__", "authorization"));
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    text,
    fc.double(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("value"), { maxLength: 6 }),
    fc.array(fc.tuple(key, tie("value")), { maxLength: 6 }).map((entries) => Object.fromEntries(entries)),
  ),
}));
const calls = fc.array(fc.tuple(key, value), { maxLength: 8 }).map((entries) => Object.fromEntries(entries) as object);

const deep = (levels: number): unknown => JSON.parse(`${'{"a":['.repeat(levels)}"\\u202e"${"]}".repeat(levels)}`);
const large: readonly (readonly [string, object])[] = [
  ["1 byte", { a: "x" }],
  ["5,000 keys", Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`key ${at}\n`, `\u202e${at}`]))],
  ["300 levels", { a: deep(300) }],
  ["one line of 1 MB", { command: `${"a b ".repeat(262_000)}\u001b; rm x` }],
  ["1 MB of all kinds", { text: fc.sample(text, { numRuns: 200, seed: 7 }).join("\n").repeat(60).slice(0, 1_000_000) }],
  ["lines of 1 MB", { script: `echo 1\n`.repeat(150_000) }],
];

test("whatever a call is, a person sees every character of it, or is not offered a yes", async () => {
  await using hub = await startGuard({ policy: ask });
  const isShown = fc.asyncProperty(calls, (args) => check(hub, args));
  await expect(fc.assert(isShown, { numRuns: 150 })).resolves.toBeUndefined();
});

test.for(large)("%s", async ([, args]) => {
  await using hub = await startGuard({ policy: ask });
  await expect(check(hub, args)).resolves.toBeUndefined();
});

type Guarded = Awaited<ReturnType<typeof startGuard>>;

/** What would be sent on: JSON has no lone zero sign and no infinity. */
const sent = (args: object): unknown => JSON.parse(JSON.stringify(args));

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
  const preview = await hub.guard.preview(hub.catalog.find("git__push")!, args, testContext().caller);
  const chat = preview.verdict === "ask" ? preview.text : "";
  expect(chat).toBe(shown);
  if (fitsWhole(chat, { maxLength: 512 })) expectWhole(chat.slice(0, 512), args);
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

/** The text has nothing in it that does not print, and reading it back gives the arguments. */
function expectWhole(shown: string, args: object): void {
  expect(/[^\P{C}\n]|(?! )\p{Zs}/u.exec(shown)).toBeNull();
  const [, head = "", rows = ""] = /^Arguments:( ?)([^]*)$/m.exec(shown) ?? [];
  const lines = (head === " " ? rows : rows.replaceAll(/^ {2}/gm, "")).replaceAll(/\n *│ /g, "");
  const json = lines.replaceAll(/\\(?:u\{([0-9a-f]+)\}|[^])/g, (whole, code?: string) =>
    code === undefined ? whole : JSON.stringify(String.fromCodePoint(Number.parseInt(code, 16))).slice(1, -1),
  );
  const read: unknown = JSON.parse(json);
  if (JSON.stringify(read) !== JSON.stringify(sent(args))) expect(read).toEqual(sent(args));
}
