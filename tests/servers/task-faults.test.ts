import { describe, expect, test } from "vitest";
import type { Question } from "../../src/mcp/messages/interim-messages.ts";
import type { RpcFault } from "../../src/mcp/messages/json-rpc.ts";
import { until } from "../support/until.ts";
import { openRogueHttp, type RogueHttp } from "./fixtures/rogue-http.ts";
import { type Engine, startEngine } from "../support/start-engine.ts";

const relatedTask = "io.modelcontextprotocol/related-task";
const settings = { requestTimeoutMs: 5000 };
const working = { taskId: "t1", status: "working", pollIntervalMs: 20, pollInterval: 20 };

/** A server of 2026-07-28 that starts a task for every call. */
async function openModern(first: object = working): Promise<RogueHttp> {
  const rogue = await openRogueHttp("modern");
  rogue.always("tools/call", ({ run, answer }) => (run(), answer({ resultType: "task", ...first })));
  rogue.always("tasks/cancel", ({ answer }) => answer({}));
  return rogue;
}

/** A server of 2025-11-25 whose tool `job` runs only as a task. */
async function openLegacy(): Promise<RogueHttp> {
  const rogue = await openRogueHttp();
  rogue.tools = [{ name: "job", inputSchema: { type: "object" }, execution: { taskSupport: "required" } }];
  rogue.always("initialize", ({ answer }) =>
    answer({
      protocolVersion: "2025-11-25",
      capabilities: { tools: {}, tasks: { requests: { tools: { call: {} } }, cancel: {} } },
      serverInfo: { name: "rogue", version: "1" },
    }),
  );
  rogue.always("tools/call", ({ run, answer }) => (run(), answer({ task: working })));
  rogue.always("tasks/get", ({ answer }) => answer(working));
  rogue.always("tasks/cancel", ({ answer }) => answer({ ...working, status: "cancelled" }));
  return rogue;
}

const open = (rogue: RogueHttp): Promise<Engine> => startEngine({ rogue: { url: rogue.url, ...settings } });

describe("a server that does not keep to the protocol of tasks", () => {
  test.each([{ taskId: undefined }, { taskId: 7 }, { taskId: "x".repeat(2000) }, { status: "dancing" }])(
    "and starts one with %j leaves the outcome unknown",
    async (odd) => {
      await using rogue = await openModern({ ...working, ...odd });
      await using engine = await open(rogue);
      await expect(engine.call("rogue__write")).rejects.toMatchObject({ code: "outcome-unknown" });
      expect(rogue.runs.get("write")).toBe(1);
    },
  );

  test.each([{ status: "completed" }, { status: "completed", result: "text" }, { status: "failed" }])(
    "and ends one with %j leaves the outcome unknown, and even a harmless call is not repeated",
    async (end) => {
      await using rogue = await openModern();
      rogue.always("tasks/get", ({ answer }) => answer({ ...working, ...end }));
      await using engine = await open(rogue);
      await expect(engine.call("rogue__read")).rejects.toMatchObject({ code: "outcome-unknown" });
      expect(rogue.runs.get("read")).toBe(1);
    },
  );

  test("and reports wrong headers for a task that has failed does not run it again", async () => {
    await using rogue = await openModern();
    rogue.always("tasks/get", ({ answer }) =>
      answer({ ...working, status: "failed", error: { code: -32020, message: "Headers" } }),
    );
    await using engine = await open(rogue);
    await expect(engine.call("rogue__write")).rejects.toMatchObject({ error: { code: -32603, message: "Headers" } });
    expect(rogue.runs.get("write")).toBe(1);
  });

  test("and reports wrong headers for the result of a task does not run it again", async () => {
    await using rogue = await openLegacy();
    rogue.always("tasks/get", ({ answer }) => answer({ ...working, status: "failed" }));
    rogue.always("tasks/result", ({ fail }) => fail(-32020, "Headers"));
    await using engine = await open(rogue);
    await expect(engine.call("rogue__job")).rejects.toMatchObject({ error: { code: -32603, message: "Headers" } });
    expect(rogue.runs.get("job")).toBe(1);
  });

  test("and has no tasks is called without one, whatever its tool says", async () => {
    await using rogue = await openRogueHttp();
    rogue.tools = [{ name: "job", inputSchema: { type: "object" }, execution: { taskSupport: "required" } }];
    await using engine = await open(rogue);
    expect(await engine.call("rogue__job")).toMatchObject({ content: [{ text: "job ran" }] });
    expect(rogue.seen.find(({ what }) => what === "tools/call")!.message.params).not.toHaveProperty("task");
  });

  test("and gives the result at once, though it was asked for a task, is believed", async () => {
    await using rogue = await openLegacy();
    rogue.always("tools/call", ({ answer }) => answer({ content: [{ type: "text", text: "already" }] }));
    await using engine = await open(rogue);
    expect(await engine.call("rogue__job")).toMatchObject({ content: [{ text: "already" }] });
  });

  test("and asks without end is stopped", async () => {
    await using rogue = await openModern();
    let count = 0;
    rogue.always("tasks/get", ({ answer }) => {
      const keys = Array.from({ length: 40 }, () => `q${++count}`);
      const inputRequests = Object.fromEntries(keys.map((key) => [key, { method: "roots/list" }]));
      answer({ ...working, status: "input_required", inputRequests });
    });
    rogue.always("tasks/update", ({ answer }) => answer({}));
    await using engine = await open(rogue);
    await expect(engine.call("rogue__write")).rejects.toMatchObject({ message: /more than 100 questions/ });
    await until(() => rogue.count("tasks/cancel") === 1);
  });
});

describe("a task", () => {
  test("that the server cancels is a failed call", async () => {
    await using rogue = await openModern();
    rogue.always("tasks/get", ({ answer }) => answer({ ...working, status: "cancelled", statusMessage: "Too late." }));
    await using engine = await open(rogue);
    expect(await engine.call("rogue__write")).toMatchObject({
      isError: true,
      content: [{ text: "The server cancelled the task of this call. Too late." }],
    });
  });

  test("survives a short outage of its server", async () => {
    await using rogue = await openModern();
    rogue.always("tasks/get", ({ answer }) => answer(working));
    await using engine = await open(rogue);
    const result = engine.call("rogue__write");
    await until(() => rogue.count("tasks/get") > 0);
    await rogue.stop();
    rogue.always("tasks/get", ({ answer }) => answer({ ...working, status: "completed", result: { content: [] } }));
    await rogue.start();
    expect(await result).toEqual({ content: [] });
    expect(rogue.runs.get("write")).toBe(1);
  });

  test("asks each of its questions once, however often they are listed", async () => {
    await using rogue = await openModern();
    const asked: Question[] = [];
    const inputRequests = { q: { method: "elicitation/create", params: { message: "?" } } };
    rogue.always("tasks/update", ({ answer }) => answer({}));
    rogue.always("tasks/get", ({ answer }) =>
      answer(
        rogue.count("tasks/get") < 4
          ? { ...working, status: "input_required", inputRequests }
          : { ...working, status: "completed", result: { content: [] } },
      ),
    );
    await using engine = await open(rogue);
    const ask = async (question: Question) => (asked.push(question), { action: "decline" });
    await engine.call("rogue__write", {}, { ask, client: { capabilities: { elicitation: {} } } });
    expect(asked).toHaveLength(1);
    const updates = rogue.seen.filter(({ what }) => what === "tasks/update");
    expect(updates.map(({ message }) => message.params.inputResponses)).toEqual([{ q: { action: "decline" } }]);
    expect(updates[0]!.headers["mcp-name"]).toBe("t1");
  });

  test("shows no keys of its server, in its status or its error", async () => {
    const key = "sk-0123456789abcdef";
    await using rogue = await openModern({ ...working, statusMessage: `began with ${key}` });
    rogue.always("tasks/get", ({ answer }) =>
      answer(
        rogue.count("tasks/get") === 1
          ? { ...working, statusMessage: `goes on with ${key}` }
          : { ...working, status: "failed", error: { code: -32000, message: `failed with ${key}`, data: { key } } },
      ),
    );
    await using engine = await startEngine({ rogue: { url: rogue.url, headers: { "x-key": key } } });
    const said: unknown[] = [];
    const result = engine.call("rogue__write", {}, { progress: (each) => void said.push(each) });
    said.push(await result.catch((error: RpcFault) => error.error));
    expect(said).toMatchObject([
      { message: /^began with/ },
      { message: /^goes on with/ },
      { code: -32000, message: /^failed with/ },
    ]);
    expect(JSON.stringify(said)).not.toContain(key);
  });

  test("whose caller gave up before it had an id is cancelled as soon as it has one", async () => {
    await using rogue = await openLegacy();
    let start: () => void = () => {};
    rogue.always("tools/call", ({ answer }) => void (start = () => answer({ task: working })));
    await using engine = await open(rogue);
    const stop = new AbortController();
    const result = engine.call("rogue__job", {}, { signal: stop.signal });
    await until(() => rogue.count("tools/call") === 1);
    stop.abort();
    await expect(result).rejects.toMatchObject({ code: "cancelled" });
    start();
    await until(() => rogue.count("tasks/cancel") === 1);
    expect(rogue.seen.at(-1)!.message.params).toMatchObject({ taskId: "t1" });
  });

  test("of a server that is removed ends at once", async () => {
    await using rogue = await openModern();
    rogue.always("tasks/get", ({ answer }) => answer(working));
    await using engine = await open(rogue);
    const result = engine.call("rogue__write");
    await until(() => rogue.count("tasks/get") > 0);
    const ended = result.catch((error: unknown) => error);
    await engine.manager.apply([]);
    expect(await ended).toMatchObject({ code: "outcome-unknown" });
  });

  test("keeps its connection while other servers wait for room", async () => {
    await using rogue = await openModern();
    rogue.always("tasks/get", ({ answer }) => answer({ ...working, pollIntervalMs: 200 }));
    await using other = await openRogueHttp();
    const servers = { rogue: { url: rogue.url }, other: { url: other.url } };
    await using engine = await startEngine(servers, { maxConcurrent: 1 });
    const result = engine.call("rogue__write");
    await until(() => rogue.count("tasks/get") === 1);
    const waiting = engine.call("other__write");
    await until(() => rogue.count("tasks/get") === 3);
    expect(other.runs.get("write")).toBeUndefined();
    rogue.always("tasks/get", ({ answer }) => answer({ ...working, status: "completed", result: { content: [] } }));
    await result;
    await waiting;
    expect(other.runs.get("write")).toBe(1);
  });
});

describe("the question of a task that comes on a stream of its own", () => {
  async function openAsking() {
    const rogue = await openLegacy();
    let write: ((data: object) => void) | undefined;
    rogue.always("GET", ({ stream }) => void (write = stream()));
    rogue.tools = [...rogue.tools, { name: "chat", inputSchema: { type: "object" } }];
    rogue.always("tools/call", ({ message, answer }) => {
      // Nobody answers a chat: it stays the latest call that can be asked something.
      if (message.params.name === "job") answer({ task: { ...working, taskId: message.params.arguments.as } });
    });
    rogue.always("tasks/get", ({ message, answer }) => answer({ ...working, taskId: message.params.taskId }));
    const ask = (id: string, taskId: string) =>
      write!({
        jsonrpc: "2.0",
        id,
        method: "elicitation/create",
        params: { message: taskId, requestedSchema: {}, _meta: { [relatedTask]: { taskId } } },
      });
    const answers = () => rogue.seen.filter(({ what }) => what === "answer").map(({ message }) => message);
    return { rogue, ask, answers, isOpen: () => write !== undefined };
  }

  test("goes to the caller of that task, and to no other", async () => {
    const { rogue, ask, answers, isOpen } = await openAsking();
    await using _ = rogue;
    await using engine = await open(rogue);
    const asked: string[] = [];
    const stop = new AbortController();
    const call = (tool: string, as: string) =>
      engine.call(
        `rogue__${tool}`,
        { as },
        {
          signal: stop.signal,
          ask: async ({ params }) => (asked.push(`${as} ${JSON.stringify(params)}`), { action: "accept" }),
        },
      );
    const calls = [call("job", "anna"), call("job", "eve")];
    await until(() => isOpen() && rogue.count("tasks/get") > 2);
    calls.push(call("chat", "eve"));
    await until(() => rogue.count("tools/call") === 3);
    ask("q1", "anna");
    ask("q2", "nobody");
    await until(() => answers().length === 2);
    expect(asked).toEqual(['anna {"message":"anna","requestedSchema":{}}']);
    expect(answers().find(({ id }) => id === "q1")!.result).toEqual({
      action: "accept",
      _meta: { [relatedTask]: { taskId: "anna" } },
    });
    expect(answers().find(({ id }) => id === "q2")).toHaveProperty("error");
    stop.abort();
    await Promise.allSettled(calls);
    await until(() => rogue.count("tasks/cancel") === 2);
  });
});
