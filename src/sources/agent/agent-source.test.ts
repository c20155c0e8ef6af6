import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { testContext } from "../../../tests/support/test-source.ts";
import { until } from "../../../tests/support/until.ts";
import { Fault } from "../../core/fault.ts";
import { createLog } from "../../core/log.ts";
import type { Progress } from "../../mcp/messages/interim-messages.ts";
import { createAgentSource } from "./agent-source.ts";
import type { GetReply } from "./reply-backend.ts";

let folder = "";

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "agent-source-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const order = (getReply: GetReply, idleMs?: number) => {
  const source = createAgentSource({ getReply, idleMs, locksFolder: folder });
  return (args: unknown, context = testContext()) => source.call("order_openclaw", args, context);
};

test("the message arrives as it was typed, and one answer comes back", async () => {
  const result = await order(async ({ message }, { onBlock }) => {
    onBlock({ text: "Looking." });
    return { payloads: [{ text: `got ${message}` }], runId: "r1", tools: ["read"], tokens: { input: 1, output: 2 } };
  })({ message: " /status  \n", sessionKey: "k1" });
  expect(result).toMatchObject({
    content: [{ type: "text", text: "Looking.\n\ngot  /status" }],
    isError: false,
    _meta: {
      "clawport/sessionKey": "k1",
      "clawport/runId": "r1",
      "clawport/tools": ["read"],
      "clawport/tokens": { input: 1, output: 2 },
    },
  });
});

test("an order without a session key gets a new one", async () => {
  const keys: string[] = [];
  const place = order(async ({ sessionKey }) => {
    keys.push(sessionKey);
    return { payloads: [] };
  });
  await place({ message: "a" });
  await place({ message: "b" });
  expect(keys[0]).toMatch(/^mcp-\d+-[0-9a-f]+$/);
  expect(keys[0]).not.toBe(keys[1]);
});

test("orders on one key run one after the other, those on other keys in parallel", async () => {
  const events: string[] = [];
  const gate = Promise.withResolvers<void>();
  const place = order(async ({ message }) => {
    events.push(`start ${message}`);
    if (message === "first") await gate.promise;
    events.push(`end ${message}`);
    return { payloads: [] };
  });
  const first = place({ message: "first", sessionKey: "same" });
  const second = place({ message: "second", sessionKey: "same" });
  await place({ message: "other", sessionKey: "other" });
  gate.resolve();
  await Promise.all([first, second]);
  const ofSame = events.filter((event) => !event.endsWith("other"));
  expect(ofSame).toEqual(["start first", "end first", "start second", "end second"]);
  expect(events.indexOf("end other")).toBeLessThan(events.indexOf("end first"));
  expect(await readdir(folder)).toEqual([]);
});

test("a failure is an answer that begins with 'Error:'", async () => {
  const result = await order(async () => {
    throw new Fault("unavailable", "The gateway does not answer.");
  })({ message: "x" });
  expect(result).toEqual({
    content: [{ type: "text", text: "Error: The gateway does not answer." }],
    isError: true,
    _meta: { "clawport/sessionKey": expect.stringMatching(/^mcp-/), "clawport/durationMs": expect.any(Number) },
  });
});

test("an order that waits for the previous one does not count as silent", async () => {
  const gate = Promise.withResolvers<void>();
  const place = order(async ({ message }, { ask }) => {
    if (message === "first") await ask({ method: "elicitation/create" });
    return { payloads: [{ text: "done" }] };
  }, 200);
  const answer = async () => (await gate.promise, { action: "cancel" });
  const said: (string | undefined)[] = [];
  const first = place({ message: "first", sessionKey: "long" }, testContext({ ask: answer }));
  const second = place(
    { message: "second", sessionKey: "long" },
    { ...testContext(), progress: ({ message }) => void said.push(message) },
  );
  await until(() => said.includes("waiting for the previous order"));
  gate.resolve();
  expect((await first).isError).toBe(false);
  expect((await second).content).toEqual([{ type: "text", text: "done" }]);
});

test.each([
  [{}, '"message" must be a string'],
  [{ message: "x", sessionKey: " " }, '"sessionKey" is empty'],
  [{ message: "x", sessionKey: "k".repeat(257) }, "at most 256 characters, but has 257"],
  [{ message: "x", images: {} }, '"images" must be a list'],
  [{ message: "x", files: [{ data: 1 }] }, "files[0].data must be a string"],
  [
    { sessionKey: 1, images: [7], files: [{ data: 1, mimeType: 2, filename: 3 }] },
    '"message" must be a string; "sessionKey" must be a string; images[0] must be an object with data and mimeType; ' +
      "files[0].data must be a string; files[0].mimeType must be a string; files[0].filename must be a string.",
  ],
  [{ message: "x", files: Array.from({ length: 12 }, () => 1) }, "mimeType; and 2 more."],
])("%j is refused before anything is sent", async (args, says) => {
  let sent = 0;
  const result = await order(async () => {
    sent++;
    return { payloads: [] };
  })(args);
  expect(result.isError).toBe(true);
  expect(JSON.stringify(result.content)).toContain(JSON.stringify(says).slice(1, -1));
  expect(sent).toBe(0);
});

test("cancelling reaches the agent, and the call ends as cancelled", async () => {
  const cancel = new AbortController();
  let reason: unknown;
  const call = order(async (_, { signal }) => {
    cancel.abort();
    reason = signal.reason;
    throw signal.reason;
  })({ message: "x" }, testContext({ signal: cancel.signal }));
  await expect(call).rejects.toMatchObject({ code: "cancelled" });
  expect(reason).toMatchObject({ code: "cancelled" });
});

test("what the agent does is reported as progress, and a silent agent is stopped", async () => {
  const place = order(async (_, { onActivity, signal }) => {
    for (const activity of ["reading", "reading", "writing"]) onActivity(activity);
    return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Fault)));
  }, 50);
  const progress: Progress[] = [];
  const result = await place({ message: "x" }, { ...testContext(), progress: (each) => progress.push(each) });
  expect(progress).toEqual([
    { progress: 1, message: "order accepted" },
    { progress: 2, message: "reading" },
    { progress: 3, message: "writing" },
  ]);
  expect(JSON.stringify(result.content)).toContain("The agent was silent for");
});

test("a session key never reaches the log", async () => {
  const lines: string[] = [];
  const log = createLog({ level: "debug", format: "json", write: (line) => lines.push(line) });
  const place = order(async (_, options) => {
    options.log.info("working");
    return { payloads: [] };
  });
  await place({ message: "x", sessionKey: "very-secret-key" }, { ...testContext(), log });
  expect(lines.length).toBeGreaterThan(1);
  expect(lines.join("\n")).not.toContain("very-secret-key");
});
