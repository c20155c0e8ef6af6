import { describe, expect, test } from "vitest";
import { withTasks } from "../../../tests/support/mcp/messages.ts";
import { type Talk, talkTo } from "../../../tests/support/mcp/talk.ts";
import { type Handler, testOffer } from "../../../tests/support/mcp/test-offer.ts";
import { until } from "../../../tests/support/until.ts";
import { Fault } from "../../core/fault.ts";
import type { Question } from "../messages/interim-messages.ts";
import { textResult } from "../messages/tool.ts";
import { createMcpServer, type McpServerOptions } from "./mcp-server.ts";
import type { RequestContext } from "./offer.ts";

const able = { capabilities: { ...withTasks, elicitation: {} } };
const elicit = (message: string): Question => ({ method: "elicitation/create", params: { message } });

function openServer(call: Handler, options: McpServerOptions = {}) {
  return createMcpServer(testOffer({ tools: { call } }), options);
}

async function startTask(talk: Talk): Promise<string> {
  return (await talk.modern("tools/call", { name: "call" }, able)).result.taskId;
}

const look = async (talk: Talk, taskId: string) => (await talk.modern("tasks/get", { taskId }, able)).result;

/** A handler that becomes a task at once and ends when it is let go, or told to stop. */
function held() {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let signal: AbortSignal | undefined;
  const call: Handler = async (_args, context) => {
    signal = context.signal;
    context.signal.addEventListener("abort", () => reject(new Fault("cancelled", "stopped")));
    context.detach("Under way.");
    return textResult(await promise);
  };
  return { call, resolve, reject, isStopped: () => signal?.aborted };
}

describe("a call that becomes a task", () => {
  test("is answered with a handle at once, and with its result by polling", async () => {
    const { call, resolve } = held();
    const talk = talkTo(openServer(call, { pollTasksMs: 50, keepTasksMs: 9000, now: () => 0 }));
    const { result } = await talk.modern("tools/call", { name: "call" }, able);
    const summary = {
      taskId: expect.any(String),
      status: "working",
      statusMessage: "Under way.",
      createdAt: "1970-01-01T00:00:00.000Z",
      lastUpdatedAt: "1970-01-01T00:00:00.000Z",
      ttlMs: 9000,
      pollIntervalMs: 50,
    };
    expect(result).toMatchObject({ resultType: "task", ...summary });
    expect(await look(talk, result.taskId)).toMatchObject({ resultType: "complete", ...summary });
    resolve("at last");
    await new Promise(setImmediate);
    expect(await look(talk, result.taskId)).toMatchObject({
      status: "completed",
      result: { content: [{ text: "at last" }] },
    });
  });

  test("is not created for a client without tasks, and the handler knows", async () => {
    const talk = talkTo(openServer((_args, context) => textResult(String(context.detach()))));
    expect((await talk.modern("tools/call", { name: "call" })).result.content[0].text).toBe("false");
    expect((await talk.ask("tools/call", { name: "call" })).result.content[0].text).toBe("false");
  });

  test("has to become one before it ends", async () => {
    const contexts: RequestContext[] = [];
    const talk = talkTo(openServer((_args, context) => (contexts.push(context), textResult("quick"))));
    expect((await talk.modern("tools/call", { name: "call" }, able)).result).toMatchObject({ resultType: "complete" });
    expect(contexts[0]!.detach()).toBe(false);
  });

  test("is always a tool call: prompts and resources can't be tasks", async () => {
    const offer = testOffer();
    const read = async (uri: string, context: { detach(): boolean }) => ({
      contents: [{ uri, text: String(context.detach()) }],
    });
    const talk = talkTo(createMcpServer({ ...offer, resources: { ...offer.resources!, read } }));
    const { result } = await talk.modern("resources/read", { uri: "test://one" }, able);
    expect(result).toMatchObject({ resultType: "complete", contents: [{ text: "false" }] });
  });

  test("shows the message of its progress, and fails and completes as the call does", async () => {
    let end: (how: () => ReturnType<typeof textResult>) => void = () => {};
    const talk = talkTo(
      openServer(async (_args, context) => {
        context.detach();
        context.progress({ progress: 1, message: "Half way." });
        return new Promise<() => ReturnType<typeof textResult>>((resolve) => (end = resolve)).then((how) => how());
      }),
    );
    const first = await startTask(talk);
    expect(await look(talk, first)).toMatchObject({ status: "working", statusMessage: "Half way." });
    end(() => {
      throw new Error("Out of paper.");
    });
    await new Promise(setImmediate);
    expect(await look(talk, first)).toMatchObject({ status: "completed", result: { isError: true } });
    const second = await startTask(talk);
    end(() => {
      throw new Fault("internal", "A table is missing.");
    });
    await new Promise(setImmediate);
    expect(await look(talk, second)).toMatchObject({
      status: "failed",
      statusMessage: "A table is missing.",
      error: { code: -32603, message: "A table is missing." },
    });
  });

  test("outlives the client that started it", async () => {
    const { call, resolve, isStopped } = held();
    const server = openServer(call);
    const alone = talkTo(server, { twoWay: false });
    const taskId = await startTask(alone);
    alone.peer.close("The client went away.");
    resolve("all the same");
    await new Promise(setImmediate);
    expect(isStopped()).toBe(false);
    expect(await look(talkTo(server), taskId)).toMatchObject({ status: "completed" });
  });

  test("can be cancelled, once and for all", async () => {
    const { call, isStopped } = held();
    const talk = talkTo(openServer(call));
    const taskId = await startTask(talk);
    for (const _ of [1, 2]) {
      expect((await talk.modern("tasks/cancel", { taskId }, able)).result).toMatchObject({ resultType: "complete" });
      expect((await talk.modern("tasks/update", { taskId, inputResponses: {} }, able)).result).toBeDefined();
      expect((await look(talk, taskId)).status).toBe("cancelled");
    }
    expect(isStopped()).toBe(true);
  });

  test("is nobody else's, and an unknown one looks the same", async () => {
    const server = openServer(held().call);
    const taskId = await startTask(talkTo(server));
    const eve = talkTo(server, { principal: "eve" });
    for (const method of ["tasks/get", "tasks/update", "tasks/cancel"]) {
      const [hers, none, odd] = await Promise.all(
        [taskId, "no-such-task", 7].map((id) => eve.modern(method, { taskId: id, inputResponses: {} }, able)),
      );
      expect(hers!.error).toMatchObject({ code: -32602 });
      expect([none!.error, odd!.error]).toEqual([hers!.error, hers!.error]);
    }
    expect((await look(talkTo(server), taskId)).status).toBe("working");
  });

  test("can be looked at only by clients that know tasks", async () => {
    const talk = talkTo(openServer(held().call));
    const taskId = await startTask(talk);
    expect((await talk.modern("tasks/get", { taskId })).error).toMatchObject({ code: -32021 });
  });

  test("is gone, and stopped, when its time is over", async () => {
    const { call, isStopped } = held();
    const talk = talkTo(openServer(call, { keepTasksMs: 10 }));
    const taskId = await startTask(talk);
    await until(() => isStopped() === true);
    expect((await talk.modern("tasks/get", { taskId }, able)).error).toMatchObject({ code: -32602 });
  });

  test("is not created if there are too many: the call is then answered as usual", async () => {
    const { promise, resolve } = Promise.withResolvers<string>();
    let isTask: boolean | undefined;
    const talk = talkTo(
      openServer(
        async (_args, context) => {
          isTask = context.detach();
          return textResult(await promise);
        },
        { maxTasks: 1 },
      ),
    );
    const first = await startTask(talk);
    const second = talk.modern("tools/call", { name: "call" }, able);
    await until(() => isTask === false);
    resolve("done");
    expect((await second).result).toMatchObject({ resultType: "complete", content: [{ text: "done" }] });
    expect(await look(talk, first)).toMatchObject({ status: "completed" });
  });

  test("is none for a principal that has too many, and one for the others", async () => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const areTasks: boolean[] = [];
    const server = openServer(
      async (_args, context) => {
        areTasks.push(context.detach());
        return textResult(await promise);
      },
      { maxTasksOfOne: 1 },
    );
    const eve = talkTo(server, { principal: "eve" });
    await startTask(eve);
    const second = eve.modern("tools/call", { name: "call" }, able);
    await until(() => areTasks.length === 2);
    await startTask(talkTo(server));
    expect(areTasks).toEqual([true, false, true]);
    resolve("done");
    await second;
  });

  test("ends with its server", async () => {
    const { call, isStopped } = held();
    const server = openServer(call);
    await startTask(talkTo(server));
    server.close();
    expect(isStopped()).toBe(true);
  });
});

describe("a task that asks", () => {
  const asking: Handler = async (_args, context) => {
    context.detach();
    const both = await Promise.all([context.ask(elicit("a"), "k"), context.ask(elicit("b"), "k")]);
    const third = await context.ask(elicit("c"), "k");
    return textResult(JSON.stringify([...both, third]));
  };

  test("takes answers one by one, and never uses a key twice", async () => {
    const talk = talkTo(openServer(asking));
    const taskId = await startTask(talk);
    await new Promise(setImmediate);
    const asked = await look(talk, taskId);
    expect(asked).toMatchObject({ status: "input_required" });
    const [a, b] = Object.keys(asked.inputRequests) as [string, string];
    const update = (inputResponses: object) => talk.modern("tasks/update", { taskId, inputResponses }, able);
    expect((await update({ [b]: { n: 2 }, stranger: {} })).result).toMatchObject({ resultType: "complete" });
    expect(await look(talk, taskId)).toMatchObject({ status: "input_required", inputRequests: { [a]: elicit("a") } });
    await update({ [b]: { n: 9 }, [a]: "no answer" });
    expect(Object.keys((await look(talk, taskId)).inputRequests)).toEqual([a]);
    await update({ [a]: { n: 1 } });
    await new Promise(setImmediate);
    const [c, ...rest] = Object.keys((await look(talk, taskId)).inputRequests);
    expect(rest).toEqual([]);
    expect([a, b]).not.toContain(c);
    await update({ [c!]: { n: 3 } });
    await new Promise(setImmediate);
    const done = await look(talk, taskId);
    expect(JSON.parse(done.result.content[0].text)).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
    expect(done).not.toHaveProperty("inputRequests");
  });

  test.each([[undefined], [[]], ["yes"]])("refuses %j as answers", async (inputResponses) => {
    const talk = talkTo(openServer(asking));
    const taskId = await startTask(talk);
    expect((await talk.modern("tasks/update", { taskId, inputResponses }, able)).error).toMatchObject({ code: -32602 });
  });

  test("is not left waiting when it is cancelled", async () => {
    const { promise: ended, resolve } = Promise.withResolvers<unknown>();
    const talk = talkTo(
      openServer((args, context) =>
        Promise.resolve(asking(args, context)).catch((error: unknown) => (resolve(error), textResult(""))),
      ),
    );
    const taskId = await startTask(talk);
    await talk.modern("tasks/cancel", { taskId }, able);
    expect(await ended).toMatchObject({ code: "cancelled" });
  });

  test("that was created after its question gives its id to the returning client", async () => {
    let detach: () => boolean = () => false;
    const talk = talkTo(
      openServer(async (_args, context) => {
        detach = () => context.detach("Still here.");
        return textResult(String((await context.ask(elicit("?"), "q")).action));
      }),
    );
    const first = await talk.modern("tools/call", { name: "call" }, able);
    expect(detach()).toBe(true);
    const params = { name: "call", requestState: first.result.requestState, inputResponses: {} };
    const second = await talk.modern("tools/call", params, able);
    expect(second.result).toMatchObject({ resultType: "task", status: "input_required" });
    const { taskId } = second.result;
    await talk.modern("tasks/update", { taskId, inputResponses: { q: { action: "accept" } } }, able);
    await new Promise(setImmediate);
    expect(await look(talk, taskId)).toMatchObject({ status: "completed", result: { content: [{ text: "accept" }] } });
  });
});
