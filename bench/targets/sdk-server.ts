import { McpServer } from "@modelcontextprotocol/server";
import * as z from "zod";

/** The same two tools on the official SDK, version 2. */
export function createSdkServer(): McpServer {
  const server = new McpServer({ name: "sdk", version: "1" });
  const echo = { description: "Returns data.", inputSchema: z.object({ data: z.string() }) };
  server.registerTool("echo", echo, async ({ data }) => ({ content: [{ type: "text", text: data }] }));
  const sleep = { description: "Waits.", inputSchema: z.object({ ms: z.number() }) };
  server.registerTool("sleep", sleep, async ({ ms }) => {
    await new Promise((resolve) => setTimeout(resolve, ms));
    return { content: [{ type: "text", text: "slept" }] };
  });
  return server;
}
