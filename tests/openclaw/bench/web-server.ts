import { createServer } from "node:http";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import * as z from "zod";
import { listenHere } from "../../support/listen-here.ts";

/** A real MCP server over HTTP, of the newest revision. */
export async function startWebServer(): Promise<AsyncDisposable & { readonly url: string }> {
  const server = createServer();
  const listening = await listenHere(server);
  const handle = toNodeHandler(createMcpHandler(createTools));
  server.on("request", (request, response) => void handle(request as Parameters<typeof handle>[0], response));
  return { url: `${listening.origin}/mcp`, [Symbol.asyncDispose]: () => listening[Symbol.asyncDispose]() };
}

function createTools(): McpServer {
  const server = new McpServer({ name: "web", version: "1" });
  server.registerTool(
    "search",
    {
      description: "Searches the web",
      inputSchema: z.object({ query: z.string() }),
      annotations: { readOnlyHint: true },
    },
    async ({ query }) => ({ content: [{ type: "text", text: `found ${query}` }] }),
  );
  return server;
}
