import { describe, expect, test } from "vitest";
import { initialize, withTasks } from "../../../tests/support/mcp/messages.ts";
import { negotiate, type Talk, talkTo } from "../../../tests/support/mcp/talk.ts";
import { type Handler, testOffer } from "../../../tests/support/mcp/test-offer.ts";
import { until } from "../../../tests/support/until.ts";
import { Fault } from "../../core/fault.ts";
import { errorResult, textResult } from "../messages/tool.ts";
import { createMcpServer, type McpServerOptions } from "./mcp-server.ts";
import type { ToolOffer } from "./offer.ts";

const relatedTask = "io.modelcontextprotocol/related-task";
const version = "2025-11-25";

function openServer(call: Handler, taskSupport: string | undefined = "optional", options: McpServerOptions = {}) {
  const definitions = taskSupport === "none" ? {} : { call: { execution: { taskSupport } } };
  return createMcpServer(testOffer({ tools: { call }, definitions }), options);
}

async function start(talk: Talk, params: object = {}): Promise<string> {
  const { result, error } = await talk.ask("tools/call", { name: "call", task: {}, ...params });
  if (error) throw new Error(error.message);
  return result.task.taskId;
}

/** A handler that ends when it is let go, or told to stop. */
function held() {
  const { promise, resolve, reject } = Promise.withResolvers<ReturnType<typeof textResult>>();
  let signal: AbortSignal | undefined;
  const call: Handler = (_args, context) => {
    signal = context.signal;
    context.signal.addEventListener("abort", () => reject(new Fault("cancelled", "stopped")));
    return promise;
  };
  return { call, resolve, reject, isStopped: () => signal?.aborted };
}

const elicit = (message: string) => ({ method: "elicitation/create", params: { message } }) as const;
const asking: Handler = async (_args, context) => textResult(String((await context.ask(elicit("sure?"))).action));

describe("a tool called as a task of 2025-11-25", () => {
  test("is declared at the handshake, to clients of that revision only", async () => {
    const server = openServer(held().call);
    const tasks = { list: {}, cancel: {}, requests: { tools: { call: {} } } };
    const declared = async (revision: string) =>
      (await talkTo(server).ask("initialize", initialize(revision))).result.capabilities.tasks;
    expect(await declared(version)).toEqual(tasks);
    expect(await declared("2025-06-18")).toBeUndefined();
  });

  test("is answered with a task at once, and with its result by tasks/result", async () => {
    const { call, resolve } = held();
    const talk = await negotiate(
      openServer(call, "optional", { pollTasksMs: 50, keepTasksMs: 9000, now: () => 0 }),
      version,
    );
    const { result } = await talk.ask("tools/call", { name: "call", task: { ttl: 5000 } });
    const task = {
      taskId: expect.any(String),
      status: "working",
      createdAt: "1970-01-01T00:00:00.000Z",
      lastUpdatedAt: "1970-01-01T00:00:00.000Z",
      ttl: 5000,
      pollInterval: 50,
    };
    expect(result).toEqual({ task });
    const { taskId } = result.task;
    expect((await talk.ask("tasks/get", { taskId })).result).toEqual(task);
    expect((await talk.ask("tasks/list")).result).toEqual({ tasks: [task] });
    const waiting = talk.ask("tasks/result", { taskId });
    await new Promise(setImmediate);
    resolve({ ...textResult("at last"), _meta: { own: 1 } });
    expect((await waiting).result).toEqual({
      content: [{ type: "text", text: "at last" }],
      _meta: { own: 1, [relatedTask]: { taskId } },
    });
    expect((await talk.ask("tasks/get", { taskId })).result).toMatchObject({ status: "completed" });
    expect((await talk.ask("tasks/result", { taskId })).result.content).toHaveLength(1);
  });

  test("has failed if its tool reports an error, and gives that result all the same", async () => {
    const talk = await negotiate(
      openServer(() => errorResult("Out of paper.")),
      version,
    );
    const taskId = await start(talk);
    expect((await talk.ask("tasks/result", { taskId })).result).toMatchObject({ isError: true });
    expect((await talk.ask("tasks/get", { taskId })).result).toMatchObject({ status: "failed" });
  });

  test("gives the JSON-RPC error that the call ended with", async () => {
    const talk = await negotiate(
      openServer(() => {
        throw new Fault("internal", "A table is missing.");
      }),
      version,
    );
    const taskId = await start(talk);
    expect((await talk.ask("tasks/result", { taskId })).error).toEqual({
      code: -32603,
      message: "A table is missing.",
    });
    expect((await talk.ask("tasks/get", { taskId })).result).toMatchObject({
      status: "failed",
      statusMessage: "A table is missing.",
    });
  });

  test("is cancelled by tasks/cancel, once", async () => {
    const { call, isStopped } = held();
    const talk = await negotiate(openServer(call), version);
    const taskId = await start(talk);
    await until(() => isStopped() === false);
    const waiting = talk.ask("tasks/result", { taskId });
    expect((await talk.ask("tasks/cancel", { taskId })).result).toMatchObject({ taskId, status: "cancelled" });
    expect(isStopped()).toBe(true);
    expect((await waiting).error).toMatchObject({ message: "The task was cancelled." });
    expect((await talk.ask("tasks/cancel", { taskId })).error).toMatchObject({ code: -32602 });
  });

  test("is nobody else's, in either era, and an unknown one looks the same", async () => {
    const server = openServer(held().call);
    const taskId = await start(await negotiate(server, version));
    const eve = talkTo(server, { principal: "eve" });
    await eve.ask("initialize", initialize(version));
    for (const method of ["tasks/get", "tasks/result", "tasks/cancel"]) {
      const [hers, none, odd] = await Promise.all([taskId, "none", 7].map((id) => eve.ask(method, { taskId: id })));
      expect(hers!.error).toMatchObject({ code: -32602 });
      expect([none!.error, odd!.error]).toEqual([hers!.error, hers!.error]);
    }
    expect((await eve.ask("tasks/list")).result).toEqual({ tasks: [] });
    expect((await eve.modern("tasks/cancel", { taskId }, { capabilities: withTasks })).error).toMatchObject({
      code: -32602,
    });
    expect((await talkTo(server).ask("tasks/get", { taskId })).result.status).toBe("working");
  });

  test("is reported when it changes, and its progress goes on", async () => {
    let report: (message: string) => void = () => {};
    const { promise, resolve } = Promise.withResolvers<ReturnType<typeof textResult>>();
    const talk = await negotiate(
      openServer((_args, context) => {
        report = (message) => context.progress({ progress: 1, message });
        return promise;
      }),
      version,
    );
    const taskId = await start(talk, { _meta: { progressToken: "p" } });
    await new Promise(setImmediate);
    report("Half way.");
    expect(talk.sent).toMatchObject([
      { method: "notifications/tasks/status", params: { taskId, status: "working", statusMessage: "Half way." } },
      {
        method: "notifications/progress",
        params: { progressToken: "p", progress: 1, message: "Half way.", _meta: { [relatedTask]: { taskId } } },
      },
    ]);
    resolve(textResult("done"));
    await until(() => talk.sent.length === 3);
    expect(talk.sent[2]).toMatchObject({ method: "notifications/tasks/status", params: { status: "completed" } });
  });

  test("outlives its client, and ends with its server", async () => {
    const { call, isStopped } = held();
    const server = openServer(call);
    const talk = await negotiate(server, version);
    const taskId = await start(talk);
    await until(() => isStopped() === false);
    talk.peer.close("gone");
    expect((await talkTo(server).ask("tasks/get", { taskId })).result.status).toBe("working");
    server.close();
    expect(isStopped()).toBe(true);
  });

  test("is refused if there are too many", async () => {
    const talk = await negotiate(openServer(held().call, "optional", { maxTasksOfOne: 1 }), version);
    await start(talk);
    expect((await talk.ask("tools/call", { name: "call", task: {} })).error).toMatchObject({
      message: expect.stringContaining("Too many tasks"),
    });
  });

  test.each(["none", "forbidden", "sometimes"])("is refused if the tool's support is %s", async (support) => {
    const talk = await negotiate(openServer(held().call, support), version);
    expect((await talk.ask("tools/call", { name: "call", task: {} })).error).toMatchObject({ code: -32601 });
  });

  test("waits for a tool of a server that is still connecting, and an unknown one is an error", async () => {
    const offer = testOffer({
      tools: { call: () => textResult("late") },
      definitions: { call: { execution: { taskSupport: "optional" } } },
    });
    const { promise, resolve } = Promise.withResolvers<void>();
    let isHere = false;
    const find: ToolOffer["find"] = (...asked) => (isHere ? offer.tools!.find(...asked) : undefined);
    const arriving = () => (isHere ? undefined : promise);
    const talk = await negotiate(createMcpServer({ ...offer, tools: { ...offer.tools!, find }, arriving }), version);
    const started = start(talk);
    isHere = true;
    resolve();
    expect((await talk.ask("tasks/result", { taskId: await started })).result.content[0].text).toBe("late");
    expect((await talk.ask("tools/call", { name: "none", task: {} })).error).toMatchObject({ code: -32602 });
    expect((await talk.ask("tools/call", { name: 7, task: {} })).error).toMatchObject({ code: -32602 });
  });

  test("is required of a tool that says so", async () => {
    const talk = await negotiate(
      openServer(() => textResult("done"), "required"),
      version,
    );
    expect((await talk.ask("tools/call", { name: "call" })).error).toMatchObject({ code: -32601 });
    const taskId = await start(talk);
    expect((await talk.ask("tasks/result", { taskId })).result.content).toHaveLength(1);
  });

  test("is a plain call for clients of older revisions, which have no tasks", async () => {
    const talk = await negotiate(
      openServer(() => textResult("done")),
      "2025-06-18",
    );
    expect((await talk.ask("tools/call", { name: "call", task: {} })).result.content).toHaveLength(1);
  });

  test.each([{ ttl: -1 }, { ttl: "soon" }, { ttl: null }, { ttl: 1e300 }])(
    "is kept within bounds for %j",
    async (task) => {
      const talk = await negotiate(openServer(held().call, "optional", { keepTasksMs: 9000 }), version);
      expect((await talk.ask("tools/call", { name: "call", task })).result.task.ttl).toBe(9000);
      expect((await talk.ask("tools/call", { name: "call", task: { ttl: 1 } })).result.task.ttl).toBe(1000);
    },
  );
});

describe("a task of 2025-11-25 that asks", () => {
  const open = () => negotiate(openServer(asking), version, { elicitation: {} });
  const questions = (talk: Talk) => talk.sent.filter(({ method }) => method === "elicitation/create");
  const status = async (talk: Talk, taskId: string) => (await talk.ask("tasks/get", { taskId })).result.status;

  async function startAsking(talk: Talk): Promise<string> {
    const taskId = await start(talk);
    for (let n = 0; n < 5; n++) await new Promise(setImmediate);
    expect(await status(talk, taskId)).toBe("input_required");
    return taskId;
  }

  test("sends its question with tasks/result, and goes on with the answer", async () => {
    const talk = await open();
    const taskId = await startAsking(talk);
    expect(questions(talk)).toEqual([]);
    const waiting = talk.ask("tasks/result", { taskId });
    await until(() => questions(talk).length === 1);
    const [question] = questions(talk);
    expect(question!.params).toEqual({ message: "sure?", _meta: { [relatedTask]: { taskId } } });
    await talk.say({ jsonrpc: "2.0", id: question!.id, result: { action: "accept" } });
    expect((await waiting).result.content[0].text).toBe("accept");
  });

  test("asks again when the client left, and only one of two that wait", async () => {
    const talk = await open();
    const taskId = await startAsking(talk);
    const first = talk.ask("tasks/result", { taskId });
    const firstId = talk.lastId();
    await until(() => questions(talk).length === 1);
    const second = talk.ask("tasks/result", { taskId });
    await new Promise(setImmediate);
    expect(questions(talk)).toHaveLength(1);
    talk.notify("notifications/cancelled", { requestId: firstId });
    expect(await first).toEqual({});
    await until(() => questions(talk).length === 2);
    await talk.say({ jsonrpc: "2.0", id: questions(talk)[1]!.id, result: { action: "decline" } });
    expect((await second).result.content[0].text).toBe("decline");
  });

  test("asks in a new session, too, if the one before is gone without a word", async () => {
    const server = openServer(asking);
    const lost = await negotiate(server, version, { elicitation: {} });
    const taskId = await startAsking(lost);
    void lost.ask("tasks/result", { taskId });
    await until(() => questions(lost).length === 1);
    const next = await negotiate(server, version, { elicitation: {} });
    const waiting = next.ask("tasks/result", { taskId });
    await until(() => questions(next).length === 1);
    await next.say({ jsonrpc: "2.0", id: questions(next)[0]!.id, result: { action: "accept" } });
    expect((await waiting).result.content[0].text).toBe("accept");
  });

  test("gets the error of a client that refuses", async () => {
    const talk = await open();
    const taskId = await startAsking(talk);
    const waiting = talk.ask("tasks/result", { taskId });
    await until(() => questions(talk).length === 1);
    await talk.say({ jsonrpc: "2.0", id: questions(talk)[0]!.id, error: { code: -1, message: "User said no" } });
    expect((await waiting).result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining("User said no") }],
    });
  });

  test("gives its question up when it is cancelled", async () => {
    const talk = await open();
    const taskId = await startAsking(talk);
    const waiting = talk.ask("tasks/result", { taskId });
    await until(() => questions(talk).length === 1);
    await talk.ask("tasks/cancel", { taskId });
    expect((await waiting).error).toMatchObject({ message: "The task was cancelled." });
  });
});

test("the tasks of a revoked token end, and a new token of that name does not find them", async () => {
  const { call, isStopped } = held();
  const server = openServer((args, context) => (args.held ? call(args, context) : textResult("private")));
  const talk = await negotiate(server, version);
  const done = await start(talk);
  expect((await talk.ask("tasks/result", { taskId: done })).result.content).toEqual(textResult("private").content);
  const under = await start(talk, { arguments: { held: true } });
  await until(() => isStopped() === false);
  server.endAllOf("someone else");
  expect((await talk.ask("tasks/list")).result.tasks).toHaveLength(2);
  server.endAllOf(talk.peer.principal);
  expect(isStopped()).toBe(true);
  const next = await negotiate(server, version);
  expect((await next.ask("tasks/list")).result).toEqual({ tasks: [] });
  for (const taskId of [done, under])
    expect((await next.ask("tasks/result", { taskId })).error.message).toMatch("Unknown or expired task");
});
