import { expect, test } from "vitest";
import { createMcpServer } from "./mcp-server.ts";

test("a name that is an object with a toString of its own is a wrong parameter, not a breakdown", async () => {
  const server = createMcpServer({
    info: { name: "test", version: "1" },
    tools: { list: () => [], find: () => undefined, call: () => ({ content: [] }) },
  });
  const peer = server.openPeer({ principal: "test", twoWay: false });
  const params = {
    name: { toString: 1 },
    _meta: {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": {},
    },
  };
  const answer = await server.handle({ jsonrpc: "2.0", id: 1, method: "tools/call", params }, peer, { send: () => {} });
  expect(answer).toMatchObject({ id: 1, error: { code: -32602 } });
  server.close();
});
