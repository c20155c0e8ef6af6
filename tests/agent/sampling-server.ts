import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { z } from "zod";

/** A server that uses its client's model: `sum_up` returns what the model wrote, or the error. */
const server = new McpServer({ name: "docs", version: "1" });

server.registerTool("sum_up", { inputSchema: { text: z.string() } }, async ({ text }) => {
  const messages = [{ role: "user" as const, content: { type: "text" as const, text } }];
  try {
    const { content } = await server.server.createMessage({ messages, maxTokens: 100 });
    return { content: [{ type: "text", text: `the model wrote ${JSON.stringify(content)}` }] };
  } catch (error) {
    return { content: [{ type: "text", text: `no model: ${String(error)}` }] };
  }
});

await server.connect(new StdioServerTransport());
