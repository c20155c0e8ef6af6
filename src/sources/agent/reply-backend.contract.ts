import { expect, test } from "vitest";
import { silentLog } from "../../core/log.ts";
import type { ReplyBackend, ReplyOptions, ReplyPayload } from "./reply-backend.ts";

/** A backend with messages whose outcome is known. */
export interface ReplyHarness extends AsyncDisposable {
  readonly backend: ReplyBackend;
  /** A message and the text it is answered with. */
  readonly quick: { readonly message: string; readonly answer: string };
  /** A message that is never answered. `running` resolves when the agent works on it, `stopped` when it has stopped. */
  slow(): { readonly message: string; readonly running: Promise<unknown>; stopped(): Promise<void> };
  /** A message that fails, and part of the error. */
  readonly failing: { readonly message: string; readonly says: RegExp };
}

/** Tests for every backend. */
export function describeReplies(open: () => Promise<ReplyHarness>): void {
  test("a message is answered with the final payload", async () => {
    await using harness = await open();
    const { backend, quick } = harness;
    const { payloads } = await backend.getReply(ask(quick.message), quietOptions());
    expect(textOf(payloads)).toBe(quick.answer);
  });

  test("orders of different sessions run in parallel", async () => {
    await using harness = await open();
    const { backend, quick } = harness;
    const replies = await Promise.all(
      ["a", "b", "c"].map((name) => backend.getReply(ask(quick.message, name), quietOptions())),
    );
    expect(replies.map(({ payloads }) => textOf(payloads))).toEqual([quick.answer, quick.answer, quick.answer]);
  });

  test("an order that is cancelled before it starts is not run", async () => {
    await using harness = await open();
    const reply = harness.backend.getReply(ask(harness.quick.message), quietOptions({ signal: AbortSignal.abort() }));
    await expect(reply).rejects.toMatchObject({ code: "cancelled" });
  });

  test("cancelling a running order also stops the agent", async () => {
    await using harness = await open();
    const { message, running, stopped } = harness.slow();
    const cancel = new AbortController();
    const reply = harness.backend.getReply(ask(message), quietOptions({ signal: cancel.signal }));
    void running.then(() => cancel.abort());
    await expect(reply).rejects.toMatchObject({ code: "cancelled" });
    await stopped();
  });

  test("a failure is a fault that says what went wrong", async () => {
    await using harness = await open();
    const { message, says } = harness.failing;
    const reply = harness.backend.getReply(ask(message), quietOptions());
    await expect(reply).rejects.toMatchObject({ name: "Fault", message: expect.stringMatching(says) });
  });
}

let keys = 0;

function ask(message: string, name = "contract") {
  return { message, sessionKey: `${name}-${process.pid}-${keys++}`, attachments: [] };
}

/** Options that ignore all output, with no one to ask. */
export function quietOptions(more: Partial<ReplyOptions> = {}): ReplyOptions {
  return {
    caller: { door: "mcp-stdio" },
    signal: new AbortController().signal,
    log: silentLog,
    onPartial: () => {},
    onBlock: () => {},
    onToolResult: () => {},
    onActivity: () => {},
    ask: () => Promise.reject(new Error("no one can be asked here")),
    ...more,
  };
}

/** For backends with a mock model, which does as the message says. */
export function obedient(
  backend: ReplyBackend,
  model: { nextHanging(): Promise<{ readonly closed: Promise<void> }> },
): ReplyHarness {
  return {
    backend,
    quick: { message: "hello", answer: "ECHO:hello" },
    slow() {
      const hanging = model.nextHanging();
      return { message: "hang", running: hanging, stopped: async () => (await hanging).closed };
    },
    failing: { message: "fail", says: /The model mock-1 did not answer: .*refuses/ },
    [Symbol.asyncDispose]: () => backend[Symbol.asyncDispose](),
  };
}

function textOf(payloads: readonly ReplyPayload[]): string {
  return payloads.flatMap(({ text }) => text ?? []).join("\n");
}
