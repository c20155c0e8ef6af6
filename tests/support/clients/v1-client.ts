import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  PromptListChangedNotificationSchema,
  ResourceUpdatedNotificationSchema,
  ToolListChangedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { modelAnswer, type Notice, type Reach, rootsAnswer, type TestClient, usualAnswers } from "./test-client.ts";

/** The client of the official SDK, version 1. */
export async function openV1Client(reach: Reach): Promise<TestClient> {
  const client = new Client(
    { name: "v1", version: "1" },
    { capabilities: { elicitation: {}, sampling: {}, roots: {} } },
  );
  const heard: Notice[] = [];
  const errors: Error[] = [];
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the client has no other way
  client.onerror = (error) => errors.push(error);
  client.setRequestHandler(ElicitRequestSchema, () => opened.answers.elicitation);
  client.setRequestHandler(CreateMessageRequestSchema, () => modelAnswer);
  client.setRequestHandler(ListRootsRequestSchema, () => rootsAnswer);
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => void heard.push("tools"));
  client.setNotificationHandler(PromptListChangedNotificationSchema, () => void heard.push("prompts"));
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, () => void heard.push("resource"));
  const transport =
    "url" in reach
      ? new StreamableHTTPClientTransport(new URL(reach.url), { requestInit: { headers: { ...reach.headers } } })
      : new StdioClientTransport(reach);
  // The client passes the agreed version to its transport. Over stdio there is no other way to see it.
  let version: string | undefined;
  const { setProtocolVersion } = transport as Transport;
  Object.assign(transport, {
    setProtocolVersion(agreed: string) {
      version = agreed;
      setProtocolVersion?.call(transport, agreed);
    },
  });
  await client.connect(transport);

  const opened: TestClient = {
    version,
    answers: usualAnswers,
    heard,
    errors,
    toolNames: async () => (await client.listTools()).tools.map(({ name }) => name),
    async call(name, args = {}, { onProgress, signal } = {}) {
      const result = await client.callTool({ name, arguments: args }, undefined, {
        ...(onProgress ? { onprogress: ({ progress }) => onProgress(progress) } : {}),
        ...(signal ? { signal } : {}),
      });
      return JSON.stringify([result.content, result.isError ?? false]);
    },
    read: async (uri) => JSON.stringify((await client.readResource({ uri })).contents),
    promptNames: async () => (await client.listPrompts()).prompts.map(({ name }) => name),
    prompt: async (name, args = {}) => JSON.stringify((await client.getPrompt({ name, arguments: args })).messages),
    async complete(value) {
      const ref = { type: "ref/prompt", name: "test_prompt_with_arguments" } as const;
      return (await client.complete({ ref, argument: { name: "arg1", value } })).completion.values;
    },
    async listen(uri) {
      await client.subscribeResource({ uri });
      return () => client.unsubscribeResource({ uri });
    },
    async [Symbol.asyncDispose]() {
      if (transport instanceof StreamableHTTPClientTransport) await transport.terminateSession();
      await client.close();
    },
  };
  return opened;
}
