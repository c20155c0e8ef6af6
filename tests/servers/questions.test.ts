import { describe, expect, test } from "vitest";
import { Fault } from "../../src/core/fault.ts";
import type { Question } from "../../src/mcp/messages/interim-messages.ts";
import { AnswerFault } from "../../src/mcp/messages/json-rpc.ts";
import { textResult } from "../../src/mcp/messages/tool.ts";
import type { RequestContext } from "../../src/mcp/server/offer.ts";
import type { ServerManagerOptions } from "../../src/sources/servers/manager.ts";
import { testOffer } from "../support/mcp/test-offer.ts";
import { openWeb } from "../support/mcp/web.ts";
import { until } from "../support/until.ts";
import { openRogueHttp } from "./fixtures/rogue-http.ts";
import { startEngine } from "../support/start-engine.ts";

const form = { message: "Sure?", requestedSchema: { type: "object", properties: {} } };
const questions = {
  pay: { method: "elicitation/create", params: form },
  think: { method: "sampling/createMessage", params: { messages: [], maxTokens: 1 } },
} as const;

/** A server whose tools do something, and then ask. */
async function openPair(era: "legacy" | "modern", options: Partial<ServerManagerOptions> = {}) {
  const done: string[] = [];
  const tool = (name: keyof typeof questions) => async (_args: unknown, context: RequestContext) => {
    done.push(name);
    return textResult(JSON.stringify(await context.ask(questions[name])));
  };
  const offer = testOffer({ tools: { pay: tool("pay"), think: tool("think") } });
  const web = await openWeb(offer);
  const engine = await startEngine({ own: { url: `http://127.0.0.1:${web.port}/`, era } }, options);
  return {
    done,
    engine,
    async [Symbol.asyncDispose]() {
      await engine[Symbol.asyncDispose]();
      await web[Symbol.asyncDispose]();
    },
  };
}

const failures = [
  new AnswerFault({ code: -1, message: "User rejected" }),
  new Fault("unavailable", "The model is down"),
  new Fault("outcome-unknown", "The model broke off"),
  new Fault("timeout", "The client did not answer in time"),
  new Fault("unauthorized", "The model rejected the key"),
  new Fault("unknown-session", "The client is gone"),
  new Error("oops"),
];

describe.each(["legacy", "modern"] as const)("a question of a %s server", (era) => {
  test.each(failures)("that ends with %s says nothing about the server", async (failure) => {
    await using pair = await openPair(era);
    const { engine, done } = pair;
    const since = engine.manager.status("own");
    for (const name of ["pay", "think"]) {
      await engine.call(`own__${name}`, {}, { ask: () => Promise.reject(failure) }).catch(() => {});
    }
    expect(done).toEqual(["pay", "think"]);
    expect(engine.manager.status("own")).toEqual({ ...since, lastHeartbeat: expect.anything() });
    expect(engine.lines.filter(({ message }) => message.includes("lost"))).toEqual([]);
  });
});

test("a modern server's form is cancelled, and its other questions end the call", async () => {
  await using pair = await openPair("modern");
  const ask = () => Promise.reject(new AnswerFault({ code: -1, message: "User rejected sampling request" }));
  expect(await pair.engine.call("own__pay", {}, { ask })).toMatchObject(textResult('{"action":"cancel"}'));
  await expect(pair.engine.call("own__think", {}, { ask })).rejects.toMatchObject({
    code: "unanswered",
    message: expect.stringMatching(/User rejected sampling request.*was not repeated/),
  });
});

test("a hub gets the error that the client of a relay answered with, so that its server need not wait", async () => {
  await using pair = await openPair("modern", { isRelay: true });
  const ask = () => Promise.reject(new AnswerFault({ code: -1, message: "User rejected sampling request" }));
  for (const name of ["pay", "think"]) {
    const result = await pair.engine.call(`own__${name}`, {}, { ask });
    expect(result).toMatchObject({ isError: true });
    expect(JSON.stringify(result)).toContain("User rejected sampling request");
  }
  expect(pair.done).toEqual(["pay", "think"]);
});

test("a call waits for all questions of a round before one of them ends it", async () => {
  await using rogue = await openRogueHttp("modern");
  const inputRequests = { form: questions.pay, model: questions.think };
  rogue.always("tools/call", ({ answer }) => answer({ resultType: "input_required", inputRequests }));
  await using engine = await startEngine({ rogue: { url: rogue.url } });
  const { promise: formAnswer, resolve: answerForm } = Promise.withResolvers<{ action: string }>();
  let isOver = false;
  const outcome = engine
    .call(
      "rogue__write",
      {},
      {
        ask: ({ method }) => (method === "elicitation/create" ? formAnswer : Promise.reject(new Error("No model"))),
      },
    )
    .catch((error: unknown) => error)
    .finally(() => (isOver = true));
  await new Promise(setImmediate);
  expect(isOver).toBe(false);
  answerForm({ action: "accept" });
  expect(await outcome).toMatchObject({ code: "unanswered" });
  expect(rogue.count("tools/call")).toBe(1);
});

describe("the capabilities that a modern server sees", () => {
  const declared = async (capabilities: object, sample?: () => Promise<never>) => {
    await using rogue = await openRogueHttp("modern");
    await using engine = await startEngine({ rogue: { url: rogue.url } }, { sample });
    await engine.call("rogue__write", {}, { client: { capabilities: { ...capabilities } } });
    const { params } = rogue.seen.findLast(({ what }) => what === "tools/call")!.message;
    expect(params._meta["io.modelcontextprotocol/clientInfo"]).toMatchObject({ name: "clawport" });
    return params._meta["io.modelcontextprotocol/clientCapabilities"];
  };

  /** The hub waits for a task itself, whether the caller knows tasks or not. */
  const extensions = { "io.modelcontextprotocol/tasks": {} };

  test.each([
    [{}, {}],
    [{ elicitation: {} }, { elicitation: { form: {} } }],
    [{ elicitation: { url: {} } }, { elicitation: { url: {} } }],
    [{ elicitation: { form: {}, url: {} } }, { elicitation: { form: {}, url: {} } }],
    [{ sampling: {} }, { sampling: {} }],
    [{ sampling: { tools: {}, context: {} } }, { sampling: { tools: {} } }],
    [{ roots: { listChanged: true }, tasks: {}, extensions: { "example.com/x": {} } }, {}],
  ])(
    "of a caller with %j are what this caller can answer, and the folders of the configuration",
    async (given, sees) => {
      expect(await declared(given)).toEqual({ ...sees, roots: {}, extensions });
    },
  );

  test("include sampling if there is a model to answer with", async () => {
    expect(await declared({}, () => Promise.reject(new Error("unused")))).toEqual({
      sampling: {},
      roots: {},
      extensions,
    });
  });
});

describe("a URL that the user must open first", () => {
  const url = { mode: "url", url: "https://example.com", message: "Sign in", elicitationId: "e1" };
  const done = { jsonrpc: "2.0", method: "notifications/elicitation/complete", params: { elicitationId: "e1" } };

  /** A legacy server that refuses every call until the user is done. */
  async function openRefusing() {
    const rogue = await openRogueHttp();
    let isDone = false;
    let report: ((message: object) => void) | undefined;
    rogue.always("GET", ({ stream }) => void (report = stream()));
    rogue.always("tools/call", ({ message, response, answer }) => {
      if (isDone) return answer({ content: [] });
      const page = { ...url, url: `${url.url}?try=${rogue.count("tools/call")}` };
      const error = { code: -32042, message: "Sign in first", data: { elicitations: [page] } };
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ jsonrpc: "2.0", id: message.id, error }));
    });
    const engine = await startEngine({ rogue: { url: rogue.url } });
    await until(() => report !== undefined);
    return {
      rogue,
      engine,
      report: () => report?.(done),
      open() {
        isDone = true;
        report?.(done);
      },
      async [Symbol.asyncDispose]() {
        await engine[Symbol.asyncDispose]();
        await rogue[Symbol.asyncDispose]();
      },
    };
  }

  test("is asked for, and the call is sent again when the server says that the user is done", async () => {
    await using refusing = await openRefusing();
    const asked: unknown[] = [];
    const ask = async (question: Question) => {
      asked.push(question);
      refusing.open();
      return { action: "accept" };
    };
    expect(await refusing.engine.call("rogue__write", {}, { ask })).toEqual({ content: [] });
    const page = { ...url, url: expect.stringContaining(url.url) };
    expect(asked).toEqual([{ method: "elicitation/create", params: page }]);
    expect(refusing.rogue.count("tools/call")).toBe(2);
  });

  test("is asked for once, even if the server never accepts the call", async () => {
    await using refusing = await openRefusing();
    let asked = 0;
    const ask = async () => {
      asked++;
      refusing.report();
      return { action: "accept" };
    };
    await expect(refusing.engine.call("rogue__write", {}, { ask })).rejects.toThrow("Sign in first");
    expect(asked).toBe(1);
  });

  test.each([
    ["declines", () => Promise.resolve({ action: "decline" })],
    ["can't be asked", () => Promise.reject(new Fault("missing-capability", "There is no terminal"))],
  ])("is the error of the call if the user %s", async (_, ask) => {
    await using refusing = await openRefusing();
    await expect(refusing.engine.call("rogue__write", {}, { ask })).rejects.toThrow("Sign in first");
    expect(refusing.rogue.count("tools/call")).toBe(1);
  });
});

describe("the answer to a question", () => {
  /** A server that asks in a call, and answers the call once it has the answer to its question. */
  async function openAsking() {
    const rogue = await openRogueHttp("legacy");
    let write: (data: object) => void = () => {};
    let id: unknown;
    rogue.always("tools/call", ({ message, stream }) => {
      write = stream();
      id = message.id;
      write({ jsonrpc: "2.0", id: "q1", method: "elicitation/create", params: form });
    });
    rogue.always("answer", ({ message, response }) => {
      response.writeHead(202).end();
      write({ jsonrpc: "2.0", id, result: textResult(JSON.stringify(message["result"])) });
    });
    const engine = await startEngine({ own: { url: rogue.url, era: "legacy" } });
    const accept = () => Promise.resolve({ action: "accept" as const, content: {} });
    return {
      rogue,
      engine,
      call: () => engine.call("own__write", {}, { ask: accept }),
      async [Symbol.asyncDispose]() {
        await engine[Symbol.asyncDispose]();
        await rogue[Symbol.asyncDispose]();
      },
    };
  }

  test("is sent again if the connection breaks or the server fails", async () => {
    await using asking = await openAsking();
    asking.rogue.once("answer", ({ response }) => void response.destroy());
    asking.rogue.once("answer", ({ response }) => void response.writeHead(500).end("oops"));
    expect(await asking.call()).toEqual(textResult('{"action":"accept","content":{}}'));
    expect(asking.rogue.count("answer")).toBe(3);
    expect(asking.rogue.count("tools/call")).toBe(1);
  });

  test("that never arrives ends the call, with a line in the log", async () => {
    await using asking = await openAsking();
    asking.rogue.always("answer", ({ response }) => void response.writeHead(500).end("oops"));
    await expect(asking.call()).rejects.toMatchObject({ code: "outcome-unknown" });
    expect(asking.rogue.count("tools/call")).toBe(1);
    expect(asking.engine.lines.map(({ message }) => message)).toContain(
      "the answer to a question of the server could not be delivered",
    );
  });
});
