import { describe, expect, test } from "vitest";
import { negotiate, talkTo } from "../../../tests/support/mcp/talk.ts";
import { testOffer } from "../../../tests/support/mcp/test-offer.ts";
import { until } from "../../../tests/support/until.ts";
import type { Question } from "../messages/interim-messages.ts";
import { textResult } from "../messages/tool.ts";
import { createMcpServer, type McpServerOptions } from "./mcp-server.ts";

const form: Question = { method: "elicitation/create", params: { message: "Sure?", requestedSchema: {} } };
const page: Question = {
  method: "elicitation/create",
  params: { mode: "url", url: "https://example.com", message: "Go" },
};
const sample: Question = { method: "sampling/createMessage", params: { messages: [], maxTokens: 1 } };
const roots: Question = { method: "roots/list" };

/** A server whose tool asks the given questions at once and answers with what it heard. */
function asking(questions: readonly Question[], options: McpServerOptions = {}) {
  const offer = testOffer({
    tools: {
      ask: async (_args, context) =>
        textResult(JSON.stringify(await Promise.all(questions.map((each) => context.ask(each))))),
    },
  });
  return createMcpServer(offer, options);
}

describe("asking a client with a handshake", () => {
  test("sends it a request and waits for the answer, several at once", async () => {
    const talk = await negotiate(asking([form, roots]), "2025-11-25", { elicitation: {}, roots: {} });
    const answer = talk.ask("tools/call", { name: "ask" });
    await until(() => talk.sent.length === 2);
    expect(talk.sent.map(({ method, params }) => ({ method, params }))).toEqual([
      form,
      { ...roots, params: undefined },
    ]);
    await talk.say({ jsonrpc: "2.0", id: talk.sent[1]!.id, result: { roots: [] } });
    await talk.say({ jsonrpc: "2.0", id: talk.sent[0]!.id, result: { action: "accept" } });
    expect(JSON.parse((await answer).result.content[0].text)).toEqual([{ action: "accept" }, { roots: [] }]);
  });

  test.each([
    [form, {}, { elicitation: { form: {} } }],
    [form, { elicitation: { url: {} } }, { elicitation: { form: {} } }],
    [page, { elicitation: {} }, { elicitation: { url: {} } }],
    [sample, { elicitation: {} }, { sampling: {} }],
    [roots, { sampling: {} }, { roots: {} }],
  ])("%j of one with %j is refused, and the tool says so", async (question, capabilities, missing) => {
    const talk = await negotiate(asking([question]), "2025-11-25", capabilities);
    const { result } = await talk.ask("tools/call", { name: "ask" });
    expect(result).toMatchObject({ isError: true });
    expect(result.content[0].text).toContain(Object.keys(missing)[0]);
    expect(talk.sent).toEqual([]);
    const modern = await talk.modern("tools/call", { name: "ask" }, { capabilities });
    expect(modern.error).toMatchObject({ code: -32021, data: { requiredCapabilities: missing } });
  });

  test("is not possible where a single request is all there is", async () => {
    const talk = talkTo(asking([roots]), { twoWay: false });
    await talk.ask("initialize", { protocolVersion: "2025-11-25", capabilities: { roots: {} } });
    const { result } = await talk.ask("tools/call", { name: "ask" });
    expect(result).toMatchObject({ isError: true });
  });

  test.each([
    [{ error: { code: -1, message: "The person has left." } }, "The person has left."],
    [{ error: null }, "could not answer"],
    [{ result: "yes" }, "is not a result object"],
    [{ result: null }, "is not a result object"],
  ])("with the answer %j fails the tool", async (answer, text) => {
    const talk = await negotiate(asking([roots]), "2025-11-25", { roots: {} });
    const called = talk.ask("tools/call", { name: "ask" });
    await until(() => talk.sent.length === 1);
    await talk.say({ jsonrpc: "2.0", id: talk.sent[0]!.id, ...answer });
    const { result } = await called;
    expect(result.isError).toBe(true);
    expect(result.content[0].text).toContain(text);
  });

  test("an answer to nothing is dropped", async () => {
    const talk = await negotiate(asking([roots]), "2025-11-25", { roots: {} });
    expect(await talk.say({ jsonrpc: "2.0", id: "ask-77", result: {} })).toBeUndefined();
    expect(await talk.say({ jsonrpc: "2.0", id: null, error: { code: 1, message: "?" } })).toBeUndefined();
  });

  test("ends when the call is cancelled, and when the client goes", async () => {
    const server = asking([roots]);
    const talk = await negotiate(server, "2025-11-25", { roots: {} });
    const cancelled = talk.ask("tools/call", { name: "ask" });
    await until(() => talk.sent.length === 1);
    talk.notify("notifications/cancelled", { requestId: talk.lastId() });
    expect(await cancelled).toEqual({});
    const lost = talk.ask("tools/call", { name: "ask" });
    await until(() => talk.sent.length === 2);
    talk.peer.close("gone");
    expect(await lost).toEqual({});
  });

  test("does not wait forever: a client that never answers gets a cancel", async () => {
    const talk = await negotiate(asking([roots], { waitForAnswersMs: 20 }), "2025-11-25", { roots: {} });
    const { result } = await talk.ask("tools/call", { name: "ask" });
    expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining("in time") }] });
    expect(talk.sent[1]).toMatchObject({
      method: "notifications/cancelled",
      params: { requestId: talk.sent[0]!.id },
    });
  });
});
