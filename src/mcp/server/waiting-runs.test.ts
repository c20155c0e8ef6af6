import { describe, expect, test } from "vitest";
import { talkTo } from "../../../tests/support/mcp/talk.ts";
import { type Handler, testOffer } from "../../../tests/support/mcp/test-offer.ts";
import { until } from "../../../tests/support/until.ts";
import { textResult } from "../messages/tool.ts";
import { createMcpServer, type McpServerOptions } from "./mcp-server.ts";

const able = { capabilities: { elicitation: {} } };
const question = { method: "elicitation/create", params: { message: "Sure?" } } as const;

describe("a requestState", () => {
  const ask: Handler = async (_args, context) => textResult(String((await context.ask(question, "q")).action));
  const inputResponses = { q: { action: "accept" } };

  async function stopped(options: McpServerOptions = {}) {
    const signals: AbortSignal[] = [];
    const server = createMcpServer(
      testOffer({ tools: { call: (args, context) => (signals.push(context.signal), ask(args, context)), other: ask } }),
      options,
    );
    const talk = talkTo(server);
    const { result } = await talk.modern("tools/call", { name: "call" }, able);
    return { server, talk, signals, state: result.requestState as string };
  }

  test("that was made up or changed is refused", async () => {
    const { talk, state } = await stopped();
    const other = (await stopped()).state;
    const flipped = (at: number) => `${state.slice(0, at)}${state[at] === "A" ? "B" : "A"}${state.slice(at + 1)}`;
    for (const requestState of [
      "",
      ".",
      "x",
      7,
      null,
      {},
      other,
      flipped(0),
      flipped(state.length - 2),
      `${state}A`,
      state.slice(0, -1),
      `${state}.x`,
    ]) {
      const { error } = await talk.modern("tools/call", { name: "call", requestState, inputResponses }, able);
      expect(error).toMatchObject({ code: -32602, message: expect.stringContaining("requestState") });
    }
    expect(
      (await talk.modern("tools/call", { name: "call", requestState: state, inputResponses }, able)).result,
    ).toBeDefined();
  });

  test("whose call runs again when the server closes ends with the call, and both are told", async () => {
    let isStopped = false;
    const server = createMcpServer(
      testOffer({
        tools: {
          async call(_args, context) {
            const { signal } = context;
            await context.ask(question, "q");
            return new Promise((_resolve, reject) => {
              signal.addEventListener("abort", () => reject(signal.reason));
              isStopped = signal.aborted;
              signal.addEventListener("abort", () => (isStopped = true));
            });
          },
        },
      }),
    );
    const talk = talkTo(server);
    const { result } = await talk.modern("tools/call", { name: "call" }, able);
    const again = { name: "call", requestState: result.requestState, inputResponses };
    const second = talk.modern("tools/call", again, able);
    await new Promise(setImmediate);
    server.close();
    expect((await second).result).toMatchObject({ isError: true });
    expect(isStopped).toBe(true);
  });

  test("is good for one return", async () => {
    const { talk, state } = await stopped();
    const params = { name: "call", requestState: state, inputResponses };
    const both = await Promise.all([talk.modern("tools/call", params, able), talk.modern("tools/call", params, able)]);
    expect(both.map((answer) => answer.error?.message ?? answer.result.content[0].text)).toEqual([
      "accept",
      expect.stringContaining("already used"),
    ]);
  });

  test("from another principal, or for another request, is refused and stays valid", async () => {
    const { server, talk, state } = await stopped();
    const params = { name: "call", requestState: state, inputResponses };
    const eve = await talkTo(server, { principal: "eve" }).modern("tools/call", params, able);
    const other = await talk.modern("tools/call", { ...params, name: "other" }, able);
    const prompt = await talk.modern("prompts/get", { ...params, name: "call" }, able);
    for (const { error } of [eve, other, prompt]) expect(error).toMatchObject({ code: -32602 });
    const fromElsewhere = talkTo(server).modern("tools/call", params, able);
    expect((await fromElsewhere).result.content[0].text).toBe("accept");
  });

  test("that is not returned in time expires, and its call is stopped", async () => {
    const { talk, state, signals } = await stopped({ waitForAnswersMs: 10 });
    await until(() => signals[0]!.aborted);
    const params = { name: "call", requestState: state, inputResponses };
    expect((await talk.modern("tools/call", params, able)).error).toMatchObject({
      message: expect.stringContaining("has expired"),
    });
  });

  test("makes room for newer ones when too many wait", async () => {
    const { talk, signals } = await stopped({ maxWaiting: 2 });
    await talk.modern("tools/call", { name: "call" }, able);
    expect(signals.map((signal) => signal.aborted)).toEqual([false, false]);
    await talk.modern("tools/call", { name: "call" }, able);
    expect(signals.map((signal) => signal.aborted)).toEqual([true, false, false]);
  });

  test("makes room among those of its principal alone", async () => {
    const { server, talk, signals } = await stopped({ maxWaitingOfOne: 2 });
    const eve = talkTo(server, { principal: "eve" });
    for (let count = 0; count < 4; count++) await eve.modern("tools/call", { name: "call" }, able);
    expect(signals.map((signal) => signal.aborted)).toEqual([false, true, true, false, false]);
    await talk.modern("tools/call", { name: "call" }, able);
    expect(signals[0]!.aborted).toBe(false);
  });

  test("of the principal that has the most waiting is dropped when there are too many in total", async () => {
    const { server, signals } = await stopped({ maxWaiting: 3 });
    const eve = talkTo(server, { principal: "eve" });
    for (let count = 0; count < 3; count++) await eve.modern("tools/call", { name: "call" }, able);
    expect(signals.map((signal) => signal.aborted)).toEqual([false, true, false, false]);
  });

  test("ends with its server", async () => {
    const { server, signals } = await stopped();
    server.close();
    expect(signals[0]!.aborted).toBe(true);
  });
});
