import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { until } from "../support/until.ts";
import { type Era, jsonOf, textOf } from "./fixtures/era-pair.ts";
import type { TaskClient } from "./fixtures/task-client.ts";
import { startTaskHub, type TaskHub } from "./fixtures/task-hub.ts";
import type { TaskServer } from "./fixtures/task-offer.ts";

/**
 * Tools that run only as tasks, through a running hub, with the official SDK of each era at both ends. In 2025 the client
 * asks for a task; in 2026 the server decides, and the SDK leaves the messages of the extension to its host.
 */
let hub: TaskHub;
beforeAll(async () => {
  hub = await startTaskHub();
});
afterAll(() => hub?.[Symbol.asyncDispose]());

const eras: readonly Era[] = ["2025", "2026"];
const pairs = eras.flatMap((from) => eras.map((to) => ({ from, to })));

describe.each(pairs)("a client of $from with a server of $to", ({ from, to }) => {
  let client: TaskClient;
  let server: TaskServer;
  let journal: () => readonly string[];
  let received: (method: string) => readonly unknown[];

  beforeAll(async () => {
    client = await hub.openClient(from, to);
  });
  afterAll(() => client?.[Symbol.asyncDispose]());
  beforeEach(() => {
    server = hub.server(to);
    const did = server.offer.journal.length;
    const had = server.received.length;
    journal = () => server.offer.journal.slice(did);
    received = (method) => server.received.slice(had).filter((message) => message.method === method);
    server.offer.hold();
    client.answer = { action: "decline" };
  });

  /** A client that does not know tasks. */
  const open = () => hub.openClient(from, to, { knowsTasks: false });

  test("a tool may be called as a task or not", async () => {
    const [tool] = await client.tools();
    expect(tool).toMatchObject({
      name: "research",
      ...(from === "2025" ? { execution: { taskSupport: "optional" } } : {}),
    });
  });

  test("a client that does not know tasks waits for the result, with progress", async () => {
    await using plain = await open();
    const messages: unknown[] = [];
    const result = plain.call("research", { onProgress: ({ message }) => messages.push(message) });
    await until(() => messages.includes("Reading."));
    server.offer.release();
    expect(await result).toMatchObject({ content: [{ text: "found it" }] });
    expect(JSON.stringify(await result)).not.toContain("related-task");
    expect(journal()).toEqual(["research"]);
  });

  test("a wait that is cancelled cancels the task at the server", async () => {
    await using plain = await open();
    const stop = new AbortController();
    const ended = plain.call("forever", { signal: stop.signal }).then(() => "an answer", String);
    await until(() => journal().includes("forever") && received("tasks/get").length > 0);
    stop.abort(new Error("enough"));
    expect(await ended).toContain("enough");
    await until(() => journal().includes("cancelled"));
    expect(received("tasks/cancel")).toHaveLength(1);
  });

  test("a client that knows tasks gets one of the hub's, and its result", async () => {
    const task = await client.start("research");
    expect(task).toMatchObject({ taskId: expect.any(String), status: "working" });
    await until(async () => (await client.get(task.taskId)).statusMessage === "Reading.");
    server.offer.release();
    expect(await client.result(task.taskId)).toMatchObject({ content: [{ text: "found it" }] });
    expect(await client.get(task.taskId)).toMatchObject({ status: "completed" });
    expect(JSON.stringify(received("tasks/get"))).not.toContain(task.taskId);
    expect(journal()).toEqual(["research"]);
  });

  test("tasks/cancel reaches the server", async () => {
    const { taskId } = await client.start("forever");
    await until(() => journal().includes("forever") && received("tasks/get").length > 0);
    await client.cancel(taskId);
    await until(() => journal().includes("cancelled"));
    expect(await client.get(taskId)).toMatchObject({ status: "cancelled" });
    await expect(client.result(taskId)).rejects.toThrow("cancelled");
  });

  test("a client that waits is asked the task's question", async () => {
    await using plain = await open();
    plain.answer = { action: "accept", content: { sure: true } };
    expect(jsonOf(await plain.call("survey"))).toEqual({ action: "accept", content: { sure: true } });
    expect(journal()).toEqual(["survey", "answered accept"]);
  });

  test("a task that asks requires input, and goes on with the answer", async () => {
    client.answer = { action: "accept", content: { sure: false } };
    const { taskId } = await client.start("survey");
    await until(async () => (await client.get(taskId)).status === "input_required");
    expect(jsonOf(await client.result(taskId))).toEqual({ action: "accept", content: { sure: false } });
    expect(journal()).toEqual(["survey", "answered accept"]);
  });

  test("notices about a task reach its client", async () => {
    const { taskId } = await client.start("research");
    const statuses = await client.follow(taskId);
    const before = statuses.length;
    const completed = () => statuses.slice(before).filter((status) => status.startsWith("completed"));
    server.offer.release();
    await until(() => completed().length > 0);
    expect(completed()).toHaveLength(1);
  });

  test("an error of the tool is a result for both", async () => {
    await using plain = await open();
    expect(await plain.call("grumpy")).toMatchObject({ isError: true, content: [{ text: "Not today." }] });
    const { taskId } = await client.start("grumpy");
    expect(await client.result(taskId)).toMatchObject({ isError: true });
    expect((await client.get(taskId)).status).toBe(from === "2025" ? "failed" : "completed");
  });

  test("a JSON-RPC error of the task is passed on to both", async () => {
    await using plain = await open();
    // The SDK's store of 2025 keeps results only, and has none of this task.
    const error = to === "2026" ? { code: -32000, message: /Out of paper/ } : { message: /no result stored/ };
    await expect(plain.call("broken")).rejects.toMatchObject(error);
    const { taskId } = await client.start("broken");
    await expect(client.result(taskId)).rejects.toMatchObject(error);
    expect(await client.get(taskId)).toMatchObject({ status: "failed" });
    expect(journal()).toEqual(["broken", "broken"]);
  });

  test("another caller can neither see nor cancel the task", async () => {
    await using stranger = await hub.openClient(from, to, { as: "stranger" });
    const { taskId } = await client.start("forever");
    for (const look of [stranger.get, stranger.cancel]) {
      await expect(look(taskId)).rejects.toMatchObject({ code: -32602, message: /Unknown or expired task/ });
      await expect(look("no-such-task")).rejects.toMatchObject({ code: -32602, message: /Unknown or expired task/ });
    }
    expect(await client.get(taskId)).toMatchObject({ status: "working" });
    await client.cancel(taskId);
    await until(() => journal().includes("cancelled"));
  });

  test("a task that the server has lost has an unknown outcome, and its call is not repeated", async () => {
    await using plain = await open();
    const result = plain.call("forever");
    const { taskId } = await client.start("forever");
    await until(() => journal().length === 2 && received("tasks/get").length > 1);
    server.forget();
    expect(textOf(await result)).toMatch(/no longer knows the task.*check before you retry/s);
    expect(textOf(await client.result(taskId))).toMatch(/no longer knows the task/);
    expect(received("tools/call")).toHaveLength(2);
  });
});

test("every call is in the audit once, as what it was in the end", async () => {
  await using own = await startTaskHub();
  await using client = await own.openClient("2026", "2025");
  const { taskId } = await client.start("survey");
  await client.result(taskId);
  const cancelled = await client.start("forever");
  await client.cancel(cancelled.taskId);
  await until(async () => (await own.audit()).length === 2);
  expect((await own.audit()).map(({ tool, outcome }) => [tool, outcome])).toEqual([
    ["y2025__survey", "ok"],
    ["y2025__forever", "cancelled"],
  ]);
});

test.each(pairs)("a call that the policy denies starts no task: $from → $to", async ({ from, to }) => {
  await using own = await startTaskHub({}, { rules: [{ tool: "*__survey", verdict: "deny" }] });
  await using client = await own.openClient(from, to);
  await using plain = await own.openClient(from, to, { knowsTasks: false });
  expect(await plain.call("survey")).toMatchObject({ isError: true });
  // In 2025 the client asked for a task; in 2026 there is no reason to start one.
  const asTask = async () => client.result((await client.start("survey")).taskId);
  expect(await (from === "2025" ? asTask() : client.call("survey"))).toMatchObject({ isError: true });
  expect(own.server(to).received.filter(({ method }) => method === "tools/call")).toEqual([]);
});

test.each(eras)("a task of %s that never ends is cancelled after the server's total time limit", async (to) => {
  await using own = await startTaskHub({ requestTimeoutMs: 300, maxTotalTimeoutMs: 300 });
  await using client = await own.openClient("2026", to, { knowsTasks: false });
  expect(textOf(await client.call("forever"))).toMatch(/within 300 ms.*maxTotalTimeoutMs/);
  await until(() => own.server(to).offer.journal.includes("cancelled"));
  expect(own.server(to).offer.journal).toEqual(["forever", "cancelled"]);
});

test.each(eras)("a server of %s that dies while its task runs does not leave the caller waiting", async (to) => {
  await using own = await startTaskHub({ requestTimeoutMs: 200 });
  await using client = await own.openClient("2025", to);
  const { taskId } = await client.start("forever");
  await until(() => own.server(to).received.some(({ method }) => method === "tasks/get"));
  await own.server(to)[Symbol.asyncDispose]();
  expect(textOf(await client.result(taskId))).toMatch(/can't be reached.*check before you retry/s);
  expect(own.server(to).offer.journal).toEqual(["forever"]);
});

test.each(pairs)(
  "a hub that stops cancels its tasks, and does not know them after a restart: $from → $to",
  async ({ from, to }) => {
    await using own = await startTaskHub();
    const client = await own.openClient(from, to);
    const { taskId } = await client.start("forever");
    await until(() => own.server(to).received.some(({ method }) => method === "tasks/get"));
    await own.restart();
    expect(own.server(to).offer.journal).toEqual(["forever", "cancelled"]);
    await client[Symbol.asyncDispose]();
    await using next = await own.openClient(from, to);
    await expect(next.get(taskId)).rejects.toMatchObject({ code: -32602 });
  },
);
