import { expect, test } from "vitest";
import { silentLog } from "../../core/log.ts";
import type { ReplyBackend, ReplyOptions, ReplyPayload } from "./reply.ts";

/** A backend with messages whose outcome is known. */
export interface ReplyHarness extends AsyncDisposable {
  readonly backend: ReplyBackend;
  /** A message and the text it is answered with. */
  readonly quick: { readonly message: string; readonly answer: string };
  /** A message whose answer does not come by itself, and a promise of the moment it is being worked on. */
  slow(): { readonly message: string; readonly running: Promise<unknown>; stopped(): Promise<void> };
  /** A message that fails, and a part of what is said then. */
  readonly failing: { readonly message: string; readonly says: RegExp };
}

/** What holds for every backend; each one's test calls this. */
export function describeReplies(open: () => Promise<ReplyHarness>): void {
  test("a message is answered with the final payload", async () => {
    await using harness = await open();
    const { backend, quick } = harness;
    const { payloads } = await backend.getReply(ask(quick.message), options());
    expect(textOf(payloads)).toBe(quick.answer);
  });

  test("orders of different sessions are answered side by side", async () => {
    await using harness = await open();
    const { backend, quick } = harness;
    const replies = await Promise.all(
      ["a", "b", "c"].map((name) => backend.getReply(ask(quick.message, name), options())),
    );
    expect(replies.map(({ payloads }) => textOf(payloads))).toEqual([quick.answer, quick.answer, quick.answer]);
  });

  test("an order cancelled before it starts is not begun", async () => {
    await using harness = await open();
    const reply = harness.backend.getReply(ask(harness.quick.message), options(AbortSignal.abort()));
    await expect(reply).rejects.toMatchObject({ code: "cancelled" });
  });

  test("cancelling a running order ends it, in the agent too", async () => {
    await using harness = await open();
    const { message, running, stopped } = harness.slow();
    const cancel = new AbortController();
    const reply = harness.backend.getReply(ask(message), options(cancel.signal));
    void running.then(() => cancel.abort());
    await expect(reply).rejects.toMatchObject({ code: "cancelled" });
    await stopped();
  });

  test("a failure is a fault that says what is wrong", async () => {
    await using harness = await open();
    const { message, says } = harness.failing;
    const reply = harness.backend.getReply(ask(message), options());
    await expect(reply).rejects.toMatchObject({ name: "Fault", message: expect.stringMatching(says) });
  });
}

let keys = 0;

function ask(message: string, name = "contract") {
  return { message, sessionKey: `${name}-${process.pid}-${keys++}`, attachments: [] };
}

function options(signal: AbortSignal = new AbortController().signal): ReplyOptions {
  return {
    signal,
    log: silentLog,
    onPartial: () => {},
    onBlock: () => {},
    onToolResult: () => {},
    onActivity: () => {},
    ask: () => Promise.reject(new Error("nobody can be asked here")),
  };
}

function textOf(payloads: readonly ReplyPayload[]): string {
  return payloads.flatMap(({ text }) => text ?? []).join("\n");
}
