import { expect, test } from "vitest";
import { silentLog } from "../../core/log.ts";
import type { ReplyBackend, ReplyOptions, ReplyPayload } from "./reply-backend.ts";

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
    const { payloads } = await backend.getReply(ask(quick.message), quietOptions());
    expect(textOf(payloads)).toBe(quick.answer);
  });

  test("orders of different sessions are answered side by side", async () => {
    await using harness = await open();
    const { backend, quick } = harness;
    const replies = await Promise.all(
      ["a", "b", "c"].map((name) => backend.getReply(ask(quick.message, name), quietOptions())),
    );
    expect(replies.map(({ payloads }) => textOf(payloads))).toEqual([quick.answer, quick.answer, quick.answer]);
  });

  test("an order cancelled before it starts is not begun", async () => {
    await using harness = await open();
    const reply = harness.backend.getReply(ask(harness.quick.message), quietOptions({ signal: AbortSignal.abort() }));
    await expect(reply).rejects.toMatchObject({ code: "cancelled" });
  });

  test("cancelling a running order ends it, in the agent too", async () => {
    await using harness = await open();
    const { message, running, stopped } = harness.slow();
    const cancel = new AbortController();
    const reply = harness.backend.getReply(ask(message), quietOptions({ signal: cancel.signal }));
    void running.then(() => cancel.abort());
    await expect(reply).rejects.toMatchObject({ code: "cancelled" });
    await stopped();
  });

  test("a failure is a fault that says what is wrong", async () => {
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

/** What an order comes with where nobody looks at what happens and nobody can be asked. */
export function quietOptions(more: Partial<ReplyOptions> = {}): ReplyOptions {
  return {
    signal: new AbortController().signal,
    log: silentLog,
    onPartial: () => {},
    onBlock: () => {},
    onToolResult: () => {},
    onActivity: () => {},
    ask: () => Promise.reject(new Error("nobody can be asked here")),
    ...more,
  };
}

/** Of a backend whose model is a mock one, which does as the message says. */
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
