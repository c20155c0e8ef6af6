import { afterEach, beforeEach, expect, test } from "vitest";
import { type MockModel, startMockModel } from "../../../../tests/support/mock-model.ts";
import { startGuard } from "../../../../tests/support/start-guard.ts";
import { until } from "../../../../tests/support/until.ts";
import type { Policy } from "../../../core/config/policy-config.ts";
import { silentLog } from "../../../core/log.ts";
import type { Question } from "../../../mcp/messages/interim-messages.ts";
import { findModel } from "../model/find-model.ts";
import { createSamplingHandler, type SamplingContext } from "./sampling-handler.ts";

let model: MockModel;

beforeEach(async () => {
  model = await startMockModel();
});
afterEach(() => model[Symbol.asyncDispose]());

const allowed: Policy = { rules: [{ tool: "sampling__docs", verdict: "allow" }] };
const context: SamplingContext = { signal: new AbortController().signal, log: silentLog };

function question(text: string, more: object = {}): Question {
  const messages = [{ role: "user", content: { type: "text", text } }];
  return { method: "sampling/createMessage", params: { messages, maxTokens: 100, ...more } };
}

async function open({ policy = allowed, env = {}, named = true }: { policy?: Policy; env?: object; named?: boolean }) {
  const parts = await startGuard({ policy });
  const settings = { name: "mock-1", url: model.baseUrl };
  const handler = createSamplingHandler({
    findModel: () => findModel(named ? settings : undefined, {}),
    guard: parts.guard,
    env: { ...env },
    maxTokens: 50,
  });
  return {
    ...parts,
    ask: (asked: Question, server = "docs", within = context) => handler(server, asked, within),
  };
}

test("an allowed server gets an answer within the token limit, and the call is in the audit", async () => {
  await using sampling = await open({});
  const asked = question("hello", { systemPrompt: "Be brief.", maxTokens: 5000 });
  expect(await sampling.ask(asked)).toEqual({
    role: "assistant",
    content: { type: "text", text: "ECHO:hello" },
    model: "mock-1",
    stopReason: "endTurn",
  });
  expect(model.requests[0]).toMatchObject({ max_tokens: 50, messages: [{ role: "system", content: "Be brief." }, {}] });
  expect(sampling.entries).toMatchObject([{ tool: "sampling__docs", source: "sampling", outcome: "ok" }]);
});

test("without a rule the user is asked and sees the request, and 'always' is for that server only", async () => {
  await using sampling = await open({ policy: {} });
  const questions = sampling.person("always", "never");
  await sampling.ask(question("hello"));
  await sampling.ask(question("again"));
  expect(questions).toHaveLength(1);
  expect(questions[0]?.text).toMatch(/docs.*sampling__docs[\s\S]*hello/);
  await expect(sampling.ask(question("hello"), "mail")).rejects.toMatchObject({ code: "denied" });
  expect(model.requests).toHaveLength(2);
});

test("during a call it is judged and recorded as the caller's, too", async () => {
  const rules: Policy["rules"] = [{ tool: "sampling__docs", token: "phone", verdict: "deny" }, ...allowed.rules!];
  await using sampling = await open({ policy: { rules } });
  const within = (token: string) => ({ ...context, caller: { door: "mcp-http", token, agent: "clawport" } as const });
  await sampling.ask(question("hello"), "docs", within("main"));
  await expect(sampling.ask(question("hello"), "docs", within("phone"))).rejects.toThrow("policy.rules[0] forbids it");
  expect(sampling.entries).toMatchObject([
    { caller: { door: "mcp-http", token: "main", agent: "clawport", server: "docs" }, outcome: "ok" },
    { caller: { door: "mcp-http", token: "phone", agent: "clawport", server: "docs" }, outcome: "denied" },
  ]);
});

test("with no one to ask it is denied, and the message names the permission that is missing", async () => {
  await using sampling = await open({ policy: {} });
  await expect(sampling.ask(question("hello"))).rejects.toThrow(/sampling__docs/);
  expect(model.requests).toHaveLength(0);
});

test("without a model it is refused, and the message names the setting", async () => {
  await using sampling = await open({ named: false });
  await expect(sampling.ask(question("hello"))).rejects.toMatchObject({
    code: "missing-capability",
    message: expect.stringMatching(/server docs requests a model.*agent\.model/),
  });
});

test("inside too many nested orders it is refused", async () => {
  await using sampling = await open({ env: { CLAWPORT_ORDER_DEPTH: "3" } });
  await expect(sampling.ask(question("hello"))).rejects.toMatchObject({ code: "denied" });
});

test.each([
  ["tools of its own", { tools: [{ name: "x" }] }, /Sampling with tools is not supported/],
  ["no messages", { messages: [] }, /messages must be a list/],
  [
    "an unknown role",
    { messages: [{ role: "system", content: { type: "text", text: "x" } }] },
    /must be user or assistant/,
  ],
  ["unknown content", { messages: [{ role: "user", content: { type: "video" } }] }, /text, an image/],
  [
    "too much text",
    { messages: [{ role: "user", content: { type: "text", text: "x".repeat(240_001) } }] },
    /240000 characters/,
  ],
])("a request with %s is refused", async (_, params, says) => {
  await using sampling = await open({});
  await expect(sampling.ask(question("x", params))).rejects.toThrow(says);
  expect(model.requests).toHaveLength(0);
});

test("images and messages with several parts reach the model", async () => {
  await using sampling = await open({});
  const content = [
    { type: "text", text: "what is this" },
    { type: "image", data: "cG5n", mimeType: "image/png" },
  ];
  await sampling.ask(question("", { messages: [{ role: "user", content }] }));
  expect(JSON.stringify(model.requests[0])).toContain("data:image/png;base64,cG5n");
});

test("only a few requests run at once, and a cancelled one makes room", async () => {
  await using sampling = await open({});
  const cancel = new AbortController();
  const within = { ...context, signal: cancel.signal };
  const hanging = Array.from({ length: 4 }, () => sampling.ask(question("hang"), "docs", within));
  const ended = Promise.allSettled(hanging);
  await until(() => model.requests.length === 4);
  await expect(sampling.ask(question("hello"))).rejects.toMatchObject({ code: "busy" });
  cancel.abort();
  expect((await ended).map(({ status }) => status)).toEqual(Array.from({ length: 4 }, () => "rejected"));
  expect(await sampling.ask(question("hello"))).toMatchObject({ content: { text: "ECHO:hello" } });
});
