import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { z } from "zod";

/** A server with images of any size, and with one of each kind of media. */
const server = new McpServer({ name: "media", version: "1" });

server.registerTool("picture", { inputSchema: { bytes: z.number() } }, ({ bytes }) => ({
  content: [{ type: "image", data: Buffer.alloc(bytes, 1).toString("base64"), mimeType: "image/png" }],
}));

server.registerTool("each", {}, () => ({
  content: [
    { type: "image", data: "cG5n", mimeType: "image/png" },
    { type: "audio", data: "bXAz", mimeType: "audio/mpeg" },
    { type: "resource", resource: { uri: "file:///a/my report.pdf", mimeType: "application/pdf", blob: "cGRm" } },
  ],
}));

await server.connect(new StdioServerTransport());
