import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { setTimeout as wait } from "node:timers/promises";
import { z } from "zod";

/** A server with what clients are tried with: a plain tool, one that returns an image, and one that is silent for long. */
const server = new McpServer({ name: "probe", version: "1.0.0" });
const annotations = { readOnlyHint: true };

server.registerTool(
  "echo",
  { description: "Repeats a word", inputSchema: { word: z.string() }, annotations },
  ({ word }) => ({ content: [{ type: "text", text: `ECHO-${word}` }] }),
);

server.registerTool("note", { description: "Notes a word", inputSchema: { word: z.string() } }, ({ word }) => ({
  content: [{ type: "text", text: `NOTED-${word}` }],
}));

/** One red pixel. */
export const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC";

server.registerTool("picture", { description: "Returns a picture", annotations }, () => ({
  content: [
    { type: "text", text: "A-PICTURE" },
    { type: "image", data: pixel, mimeType: "image/png" },
  ],
}));

server.registerTool(
  "silent",
  { description: "Says nothing for a while", inputSchema: { seconds: z.number() }, annotations },
  async ({ seconds }) => {
    await wait(seconds * 1000);
    return { content: [{ type: "text", text: `SILENT-${seconds}` }] };
  },
);

if (import.meta.main) await server.connect(new StdioServerTransport());
