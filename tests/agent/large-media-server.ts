import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { z } from "zod";

/** A server whose pictures are as large as one wants. */
const server = new McpServer({ name: "big", version: "1" });

server.registerTool("picture", { inputSchema: { bytes: z.number() } }, ({ bytes }) => ({
  content: [{ type: "image", data: Buffer.alloc(bytes, 1).toString("base64"), mimeType: "image/png" }],
}));

await server.connect(new StdioServerTransport());
