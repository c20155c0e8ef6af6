import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type MockModel, startMockModel } from "../../../../tests/support/mock-model.ts";
import { testSource } from "../../../../tests/support/test-source.ts";
import type { CallContext } from "../../../catalog/call-context.ts";
import { createCatalog } from "../../../catalog/catalog.ts";
import { Fault } from "../../../core/fault.ts";
import { textResult } from "../../../mcp/messages/tool.ts";
import { createAgentTools } from "../agent-tools.ts";
import { openConversationFiles } from "../conversations/conversation-files.ts";
import { describeReplies, obedient, quietOptions } from "../reply-backend.contract.ts";
import type { ReplyOptions, ReplyPayload } from "../reply-backend.ts";
import type { ModelSettings } from "./find-model.ts";
import { createModelBackend } from "./model-backend.ts";
import { openModel } from "./open-model.ts";
import { reachTool } from "../../../catalog/guard/reach-source.ts";

let folder = "";
let model: MockModel;
let guarded: string[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "model-backend-"));
  model = await startMockModel();
  guarded = [];
});
afterEach(async () => {
  await model[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

async function openBackend(change: Partial<ModelSettings> = {}) {
  const catalog = createCatalog();
  catalog.add(
    testSource({
      id: "screen",
      tools: ["screen.shot", "echo", "huge"],
      async call(name, args) {
        if (name === "huge") throw new Fault("too-large", "The server sent a message larger than the limit.");
        if (name === "echo") return textResult(`echo ${JSON.stringify(args)}`);
        return { content: [{ type: "image", data: "cG5n", mimeType: "image/png" }] };
      },
    }),
  );
  catalog.add(testSource({ id: "agent", kind: "agent", tools: ["order_openclaw"] }));
  const tools = createAgentTools({
    view: catalog.view("all", { alphabet: "narrow" }),
    guard: {
      call(tool, args, context: CallContext) {
        guarded.push(tool.name);
        return reachTool(tool, args).run(context);
      },
    },
  });
  const settings: ModelSettings = {
    provider: "openai-compatible",
    name: "mock-1",
    url: model.baseUrl,
    maxSteps: 5,
    maxTokens: 10_000,
    contextTokens: 50_000,
    ...change,
  };
  return createModelBackend({
    settings,
    model: await openModel(settings),
    conversations: openConversationFiles(folder),
    tools: () => Promise.resolve(tools),
  });
}

interface Heard {
  readonly blocks: ReplyPayload[];
  readonly tools: ReplyPayload[];
  readonly partials: string[];
  readonly activities: string[];
}

function listen(
  heard: Heard = { blocks: [], tools: [], partials: [], activities: [] },
): ReplyOptions & { heard: Heard } {
  const options = quietOptions({
    onPartial: (text) => heard.partials.push(text),
    onBlock: (payload) => heard.blocks.push(payload),
    onToolResult: (payload) => heard.tools.push(payload),
    onActivity: (activity) => heard.activities.push(activity),
  });
  return { ...options, heard };
}

const say = (message: string, sessionKey = "k") => ({ message, sessionKey, attachments: [] });

describe("as a backend", () => {
  describeReplies(async () => obedient(await openBackend(), model));
});

test("the model uses a tool through the guard and answers with its result", async () => {
  const backend = await openBackend();
  const options = listen();
  const reply = await backend.getReply(say('say Let me look then call:echo {"a":1}'), options);
  expect(reply.payloads).toEqual([{ text: 'GOT=echo {"a":1}' }]);
  expect(reply).toMatchObject({ tools: ["echo"], tokens: { input: 20, output: 10 } });
  expect(guarded).toEqual(["echo"]);
  expect(options.heard.blocks).toEqual([{ text: "Let me look" }]);
  expect(options.heard.activities).toContain("using echo");
  expect(options.heard.partials.length).toBeGreaterThan(1);
});

test("tools are offered under names that models accept, and the order tool is not offered", async () => {
  const backend = await openBackend();
  const options = listen();
  await backend.getReply(say("call:screen_shot {}"), options);
  const offered = model.requests[0]!.tools.map((tool) => tool.function.name);
  expect(offered.toSorted()).toEqual(["echo", "huge", "screen_shot"]);
  expect(options.heard.tools[0]?.media).toMatchObject([{ mimeType: "image/png", bytes: 3 }]);
});

test("a step's text comes before the media of its tools", async () => {
  const backend = await openBackend();
  const events: string[] = [];
  const options = quietOptions({
    onBlock: ({ text }) => void events.push(`text ${text}`),
    onToolResult: ({ media = [] }) => void events.push(...media.map(({ mimeType }) => mimeType)),
  });
  const { payloads } = await backend.getReply(say("say Before then call:screen_shot {}"), options);
  expect([...events, payloads[0]?.text]).toEqual(["text Before", "image/png", expect.stringMatching(/^GOT=/)]);
});

test("a result that was too large is reported to the user, too", async () => {
  const backend = await openBackend();
  const options = listen();
  await backend.getReply(say("call:huge {}"), options);
  expect(options.heard.tools).toEqual([
    { text: "[The result of huge is missing: The server sent a message larger than the limit.]" },
  ]);
});

test("an unknown tool is reported to the model, not to the user", async () => {
  const backend = await openBackend();
  const reply = await backend.getReply(say("call:nonsense {}"), listen());
  expect(reply.payloads[0]?.text).toMatch(/^GOT=.*nonsense/);
});

test("a model that never stops calling tools is stopped at the limit", async () => {
  const backend = await openBackend({ maxSteps: 3 });
  const reply = backend.getReply(say("forever call:echo {}"), listen());
  await expect(reply).rejects.toThrow(/stopped before it had an answer: 3 steps/);
  expect(model.requests).toHaveLength(3);
});

test("a model that uses too many tokens is stopped", async () => {
  const backend = await openBackend({ maxTokens: 25 });
  await expect(backend.getReply(say("forever call:echo {}"), listen())).rejects.toThrow(/used 30 tokens/);
});

test("a model that costs too much is stopped, and the cost of an order is reported", async () => {
  const prices = { input: 3, output: 15 };
  const backend = await openBackend({ prices, maxCost: 0.0002 });
  const expensive = backend.getReply(say("forever call:echo {}"), listen());
  await expect(expensive).rejects.toThrow(/an order may cost 0.0002 .*used 30 tokens, which cost 0.00021/);
  expect(model.requests).toHaveLength(2);
  const { cost } = await backend.getReply(say("hello", "cheap"), listen());
  expect(cost).toBeCloseTo(0.000105, 9);
});

test("a conversation continues in another process, separate from other conversations", async () => {
  await (await openBackend()).getReply(say("my colour is blue", "a"), listen());
  const later = await openBackend();
  expect((await later.getReply(say("recall", "a"), listen())).payloads[0]?.text).toContain("my colour is blue");
  expect((await later.getReply(say("recall", "b"), listen())).payloads[0]?.text).toBe("EARLIER=");
});

test("a conversation that got too long continues with a summary", async () => {
  const backend = await openBackend({ contextTokens: 2000 });
  const options = listen();
  for (let turn = 0; turn < 6; turn++) await backend.getReply(say(`${turn} ${"word ".repeat(400)}`, "long"), options);
  expect(options.heard.activities).toContain("summarizing the conversation");
  const asked = JSON.stringify(model.requests.at(-1)?.messages);
  expect(asked).toContain("[Summary of the conversation so far]");
  expect(asked.length).toBeLessThan(10_000);
});

test("an image reaches the model once, and the stored conversation only names it", async () => {
  const backend = await openBackend();
  const attachment = {
    kind: "image" as const,
    name: "shot.png",
    mimeType: "image/png",
    bytes: 3,
    base64: () => Promise.resolve("cG5n"),
  };
  await backend.getReply({ ...say("look", "img"), attachments: [attachment] }, listen());
  expect(JSON.stringify(model.requests[0])).toContain("data:image/png;base64,cG5n");
  await backend.getReply(say("again", "img"), listen());
  const later = JSON.stringify(model.requests[1]);
  expect(later).not.toContain("cG5n");
  expect(later).toContain("[attached: shot.png, image/png, 3 bytes]");
});
