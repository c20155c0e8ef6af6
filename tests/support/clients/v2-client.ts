import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { VersionNegotiationMode } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { modelAnswer, type Notice, type Reach, rootsAnswer, type TestClient, usualAnswers } from "./test-client.ts";

/** The client of the official SDK, version 2, with a mode of version negotiation. */
export async function openV2Client(reach: Reach, mode: VersionNegotiationMode): Promise<TestClient> {
  const client = new Client(
    { name: "v2", version: "1" },
    { capabilities: { elicitation: {}, sampling: {}, roots: {} }, versionNegotiation: { mode } },
  );
  const heard: Notice[] = [];
  const errors: Error[] = [];
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the client has no other way
  client.onerror = (error) => errors.push(error);
  client.setRequestHandler("elicitation/create", () => opened.answers.elicitation);
  client.setRequestHandler("sampling/createMessage", () => modelAnswer);
  client.setRequestHandler("roots/list", () => rootsAnswer);
  client.setNotificationHandler("notifications/tools/list_changed", () => void heard.push("tools"));
  client.setNotificationHandler("notifications/prompts/list_changed", () => void heard.push("prompts"));
  client.setNotificationHandler("notifications/resources/updated", () => void heard.push("resource"));
  const transport =
    "url" in reach
      ? new StreamableHTTPClientTransport(new URL(reach.url), { requestInit: { headers: { ...reach.headers } } })
      : new StdioClientTransport(reach);
  await client.connect(transport);

  const opened: TestClient = {
    version: client.getNegotiatedProtocolVersion(),
    answers: usualAnswers,
    heard,
    errors,
    toolNames: async () => (await client.listTools()).tools.map(({ name }) => name),
    async call(name, args = {}, { onProgress, signal } = {}) {
      const result = await client.callTool(
        { name, arguments: args },
        {
          ...(onProgress ? { onprogress: ({ progress }) => onProgress(progress) } : {}),
          ...(signal ? { signal } : {}),
        },
      );
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
      if (client.getProtocolEra() === "legacy") {
        await client.subscribeResource({ uri });
        return () => client.unsubscribeResource({ uri });
      }
      const stream = await client.listen({
        toolsListChanged: true,
        promptsListChanged: true,
        resourceSubscriptions: [uri],
      });
      return () => stream.close();
    },
    async [Symbol.asyncDispose]() {
      if (transport instanceof StreamableHTTPClientTransport) await transport.terminateSession();
      await client.close();
    },
  };
  return opened;
}
