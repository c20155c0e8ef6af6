import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { textResult } from "../../src/mcp/messages/tool.ts";
import type { AgentTools } from "../../src/sources/agent/agent-tools.ts";
import { openConversationFiles } from "../../src/sources/agent/conversations/conversation-files.ts";
import { findModel } from "../../src/sources/agent/model/find-model.ts";
import { createModelBackend } from "../../src/sources/agent/model/model-backend.ts";
import { openModel } from "../../src/sources/agent/model/open-model.ts";
import { describeReplies, obedient, quietOptions } from "../../src/sources/agent/reply-backend.contract.ts";
import { testTool } from "../support/test-source.ts";
import { type MockProvider, startMockProvider } from "./mock-provider.ts";

const tools: AgentTools = {
  list: () => [testTool("echo", { description: "Says it again." })],
  call: async (_, args) => textResult(`echo ${JSON.stringify(args)}`),
};

describe.each([
  { provider: "anthropic", key: "ANTHROPIC_API_KEY", address: "ANTHROPIC_BASE_URL" },
  { provider: "google", key: "GEMINI_API_KEY", address: "GOOGLE_GEMINI_BASE_URL" },
] as const)("a model of $provider", ({ provider, key, address }) => {
  let folder = "";
  let mock: MockProvider;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "providers-"));
    mock = await startMockProvider(provider);
  });
  afterEach(async () => {
    await mock[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  async function openBackend() {
    const env = { CLAWPORT_MODEL: `${provider}/mock-1`, [key]: "the-key", [address]: new URL(mock.baseUrl).origin };
    const settings = findModel(undefined, env)!;
    const model = await openModel(settings);
    return createModelBackend({
      settings,
      model,
      conversations: openConversationFiles(folder),
      tools: async () => tools,
    });
  }

  describeReplies(async () => obedient(await openBackend(), mock));

  test("streams its text, uses a tool, answers with its result, and continues the conversation", async () => {
    const backend = await openBackend();
    const partials: string[] = [];
    const blocks: (string | undefined)[] = [];
    const options = quietOptions({
      onPartial: (text) => partials.push(text),
      onBlock: ({ text }) => blocks.push(text),
    });
    const say = (message: string) => backend.getReply({ message, sessionKey: "k", attachments: [] }, options);
    const reply = await say('say Let me look there then call:echo {"a":1}');
    expect(reply).toMatchObject({
      payloads: [{ text: 'GOT=echo {"a":1}' }],
      tools: ["echo"],
      tokens: { input: 20, output: 10 },
    });
    expect(blocks).toEqual(["Let me look there"]);
    expect(partials.slice(0, 2)).toEqual(["Let me look ", "Let me look there"]);
    expect(mock.keys).toEqual(["the-key", "the-key"]);
    expect((await say("recall")).payloads[0]?.text).toContain("EARLIER=say Let me look");
  });
});
