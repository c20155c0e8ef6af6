import { describe, expect, test } from "vitest";
import { talkTo } from "../../../tests/support/mcp/talk.ts";
import { type Handler, testOffer } from "../../../tests/support/mcp/test-offer.ts";
import type { Question } from "../messages/interim-messages.ts";
import { textBlock, textResult } from "../messages/tool.ts";
import { createMcpServer, type McpServerOptions } from "./mcp-server.ts";

const elicit = (message: string): Question => ({ method: "elicitation/create", params: { message } });
const able = { capabilities: { elicitation: {}, roots: {} } };
const yes = { action: "accept", content: { sure: true } };

/** A client of a server with one tool that asks. */
function openTalk(call: Handler, options: McpServerOptions = {}) {
  return talkTo(createMcpServer(testOffer({ tools: { call } }), options));
}

describe("a modern call that asks", () => {
  test("ends with input_required, and goes on where it stood when the answer comes", async () => {
    let started = 0;
    const talk = openTalk(async (_args, context) => {
      started++;
      return textResult(JSON.stringify(await context.ask(elicit("Sure?"), "sure")));
    });
    const first = await talk.modern("tools/call", { name: "call" }, able);
    expect(first.result).toMatchObject({ resultType: "input_required", inputRequests: { sure: elicit("Sure?") } });
    expect(talk.sent).toEqual([]);
    const params = { name: "call", requestState: first.result.requestState, inputResponses: { sure: yes } };
    const second = await talk.modern("tools/call", params, able);
    expect(second.result).toMatchObject({ resultType: "complete", content: [{ text: JSON.stringify(yes) }] });
    expect(started).toBe(1);
  });

  test("asks everything it asks at once in one round, each under a key of its own", async () => {
    const talk = openTalk(async (_args, context) => {
      const asked = [
        context.ask(elicit("1"), "q"),
        context.ask(elicit("2"), "q"),
        context.ask({ method: "roots/list" }),
      ];
      return textResult(JSON.stringify(await Promise.all(asked)));
    });
    const { result } = await talk.modern("tools/call", { name: "call" }, able);
    const keys = Object.keys(result.inputRequests);
    expect(keys).toHaveLength(3);
    expect(new Set(keys).size).toBe(3);
    const inputResponses = Object.fromEntries(keys.map((key, at) => [key, { at }]));
    const done = await talk.modern(
      "tools/call",
      { name: "call", requestState: result.requestState, inputResponses },
      able,
    );
    expect(JSON.parse(done.result.content[0].text)).toEqual([{ at: 0 }, { at: 1 }, { at: 2 }]);
  });

  test("may take several rounds, each with a new state", async () => {
    const talk = openTalk(async (_args, context) => {
      const heard = [];
      for (const key of ["a", "b", "c"]) heard.push(await context.ask(elicit(key), key));
      return textResult(JSON.stringify(heard));
    });
    const states = new Set<string>();
    let { result } = await talk.modern("tools/call", { name: "call" }, able);
    for (const key of ["a", "b", "c"]) {
      expect(Object.keys(result.inputRequests)).toEqual([key]);
      states.add(result.requestState);
      const params = { name: "call", requestState: result.requestState, inputResponses: { [key]: { key } } };
      ({ result } = await talk.modern("tools/call", params, able));
    }
    expect(JSON.parse(result.content[0].text)).toEqual([{ key: "a" }, { key: "b" }, { key: "c" }]);
    expect(states.size).toBe(3);
  });

  test("asks again for what is missing or is no answer, and keeps what it got", async () => {
    const talk = openTalk(async (_args, context) =>
      textResult(JSON.stringify(await Promise.all([context.ask(elicit("a"), "a"), context.ask(elicit("b"), "b")]))),
    );
    let { result } = await talk.modern("tools/call", { name: "call" }, able);
    for (const [inputResponses, left] of [
      [undefined, ["a", "b"]],
      [{}, ["a", "b"]],
      [{ other: yes }, ["a", "b"]],
      [{ a: "yes", b: null }, ["a", "b"]],
      [{ b: yes }, ["a"]],
      [{ b: { action: "decline" } }, ["a"]],
    ] as const) {
      const params = { name: "call", requestState: result.requestState, inputResponses };
      ({ result } = await talk.modern("tools/call", params, able));
      expect(Object.keys(result.inputRequests)).toEqual(left);
    }
    const params = { name: "call", requestState: result.requestState, inputResponses: { a: { n: 1 } } };
    const done = await talk.modern("tools/call", params, able);
    expect(JSON.parse(done.result.content[0].text)).toEqual([{ n: 1 }, yes]);
  });

  test.each([[[]], ["yes"], [null], [7]])(
    "refuses the answers %j, and the state stays good",
    async (inputResponses) => {
      const talk = openTalk(async (_args, context) => textResult(String((await context.ask(elicit("?"), "q")).action)));
      const { result } = await talk.modern("tools/call", { name: "call" }, able);
      const params = { name: "call", requestState: result.requestState };
      expect((await talk.modern("tools/call", { ...params, inputResponses }, able)).error).toMatchObject({
        code: -32602,
      });
      const done = await talk.modern("tools/call", { ...params, inputResponses: { q: yes } }, able);
      expect(done.result.content[0].text).toBe("accept");
    },
  );

  test("takes answers that came along with the first request", async () => {
    const talk = openTalk(async (_args, context) =>
      textResult(String((await context.ask(elicit("?"), "sure")).action)),
    );
    const params = { name: "call", inputResponses: { sure: yes, more: yes } };
    const { result } = await talk.modern("tools/call", params, able);
    expect(result).toMatchObject({ resultType: "complete", content: [{ text: "accept" }] });
  });

  test("sends progress of the next round under that round's token", async () => {
    const talk = openTalk(async (_args, context) => {
      context.progress({ progress: 1 });
      await context.ask(elicit("?"), "q");
      context.progress({ progress: 2 });
      return textResult("done");
    });
    const first = await talk.modern("tools/call", { name: "call" }, { ...able, meta: { progressToken: "one" } });
    const params = { name: "call", requestState: first.result.requestState, inputResponses: { q: yes } };
    await talk.modern("tools/call", params, { ...able, meta: { progressToken: "two" } });
    expect(talk.sent.map(({ params: { progressToken, progress } }) => [progressToken, progress])).toEqual([
      ["one", 1],
      ["two", 2],
    ]);
  });

  test("that fails after its answer fails the round that brought it", async () => {
    const talk = openTalk(async (_args, context) => {
      await context.ask(elicit("?"), "q");
      throw new Error("Not like this.");
    });
    const { result } = await talk.modern("tools/call", { name: "call" }, able);
    const params = { name: "call", requestState: result.requestState, inputResponses: { q: yes } };
    expect((await talk.modern("tools/call", params, able)).result).toMatchObject({
      isError: true,
      content: [{ text: "Not like this." }],
    });
  });

  test("that ended while its client was away gives its result when it returns", async () => {
    const { promise: late, resolve: goOn } = Promise.withResolvers<void>();
    const talk = openTalk(async (_args, context) => {
      await Promise.race([context.ask(elicit("?"), "q"), late]);
      return textResult("without you");
    });
    const { result } = await talk.modern("tools/call", { name: "call" }, able);
    goOn();
    await new Promise(setImmediate);
    const params = { name: "call", requestState: result.requestState, inputResponses: {} };
    expect((await talk.modern("tools/call", params, able)).result.content[0].text).toBe("without you");
  });

  test("is stopped by cancelling a later round of it", async () => {
    let signal: AbortSignal | undefined;
    const talk = openTalk(async (_args, context) => {
      signal = context.signal;
      await context.ask(elicit("?"), "q");
      return new Promise((_resolve, reject) => {
        context.signal.addEventListener("abort", () => reject(new Error("stopped")));
      });
    });
    const { result } = await talk.modern("tools/call", { name: "call" }, able);
    const params = { name: "call", requestState: result.requestState, inputResponses: { q: yes } };
    const second = talk.modern("tools/call", params, able);
    await new Promise(setImmediate);
    talk.notify("notifications/cancelled", { requestId: talk.lastId() });
    expect(await second).toEqual({});
    expect(signal?.aborted).toBe(true);
  });

  test("may be a prompt or a resource too, but no list", async () => {
    const offer = testOffer();
    const server = createMcpServer({
      ...offer,
      prompts: {
        list: () => [{ name: "p" }],
        async get(_name, _args, context) {
          const { action } = await context.ask(elicit("?"), "q");
          return { messages: [{ role: "user", content: textBlock(String(action)) }] };
        },
      },
      resources: {
        ...offer.resources!,
        read: async (_uri, context) => ({
          contents: [{ uri: "r", text: String((await context.ask(elicit("?"), "q")).action) }],
        }),
      },
      complete: async (_request, context) => ({ values: [String((await context.ask(elicit("?"), "q")).action)] }),
    });
    const talk = talkTo(server);
    for (const [method, params] of [
      ["prompts/get", { name: "p" }],
      ["resources/read", { uri: "r" }],
    ] as const) {
      const { result } = await talk.modern(method, params, able);
      const again = { ...params, requestState: result.requestState, inputResponses: { q: yes } };
      expect(JSON.stringify((await talk.modern(method, again, able)).result)).toContain("accept");
    }
    const params = { ref: { type: "ref/prompt", name: "p" }, argument: { name: "a", value: "b" } };
    expect((await talk.modern("completion/complete", params, able)).error).toMatchObject({ code: -32021 });
  });
});
