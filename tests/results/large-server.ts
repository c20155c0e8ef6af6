import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { z } from "zod";

/** A real server whose tools answer with much text. */
const lines = Array.from({ length: 60_000 }, (_, index) => `line ${index + 1}: ${"lorem ipsum ".repeat(7)}`);
/** 5 MB, in 60,000 lines. */
const text = lines.join("\n");
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const server = new McpServer({ name: "large", version: "1" });
server.registerTool("log", { description: "5 MB of lines" }, () => ({ content: [{ type: "text", text }] }));
server.registerTool("small", {}, () => ({ content: [{ type: "text", text: "small" }] }));
server.registerTool("fail", {}, () => ({ content: [{ type: "text", text }], isError: true }));
server.registerTool("wrapped", { outputSchema: { result: z.string() } }, () => ({
  content: [{ type: "text", text }],
  structuredContent: { result: text },
}));
server.registerTool("rows", { outputSchema: { rows: z.array(z.object({ id: z.number(), name: z.string() })) } }, () => {
  const structuredContent = { rows: lines.slice(0, 20_000).map((name, id) => ({ id, name })) };
  return { content: [{ type: "text", text: JSON.stringify(structuredContent) }], structuredContent };
});
server.registerTool("loose", {}, () => ({
  content: [{ type: "text", text: "20,000 rows" }],
  structuredContent: { rows: lines.slice(0, 20_000) },
}));
server.registerTool("parts", {}, () => ({
  content: [
    { type: "text", text: lines.slice(0, 3000).join("\n") },
    { type: "image", data: pixel, mimeType: "image/png" },
    { type: "resource", resource: { uri: "file:///second.txt", text: lines.slice(3000, 6000).join("\n") } },
  ],
}));
await server.connect(new StdioServerTransport());
