import { expect, test } from "vitest";
import { answerMessage } from "./answer-message.ts";
import { createMcpServer } from "./server.ts";
import { textResult } from "./tool.ts";

const tool = { name: "count", inputSchema: { type: "object" } };
const server = createMcpServer({
  info: { name: "test", version: "1" },
  tools: {
    list: () => [tool],
    find: (name) => (name === "count" ? tool : undefined),
    call(_, __, context) {
      context.progress({ progress: 1, total: 2 });
      context.progress({ progress: 2, total: 2 });
      return textResult("done");
    },
  },
});
const peer = server.openPeer({ principal: "main", twoWay: false });

test("what comes before the answer stands before it", async () => {
  const params = { name: "count", arguments: {}, _meta: { progressToken: "p" } };
  const messages = await answerMessage(server, peer, { jsonrpc: "2.0", id: 7, method: "tools/call", params });
  expect(messages).toMatchObject([
    { method: "notifications/progress", params: { progressToken: "p", progress: 1 } },
    { method: "notifications/progress", params: { progressToken: "p", progress: 2 } },
    { id: 7, result: { content: [{ text: "done" }] } },
  ]);
});

test("a notification leads to nothing, and what is no message is a fault", async () => {
  expect(await answerMessage(server, peer, { jsonrpc: "2.0", method: "notifications/initialized" })).toEqual([]);
  await expect(answerMessage(server, peer, { hello: 1 })).rejects.toMatchObject({ code: "bad-request" });
});
