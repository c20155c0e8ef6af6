import { appendFileSync } from "node:fs";
import { textResult, type Tool } from "../../src/mcp/messages/tool.ts";
import { createMcpServer } from "../../src/mcp/server/mcp-server.ts";
import { serveStdio } from "../../src/mcp/stdio/serve-stdio.ts";

/** A stdio server whose tool writes each execution to the file named by the first argument. */
const [, , file = ""] = process.argv;
const tool: Tool = {
  name: "count",
  inputSchema: { type: "object", properties: { id: { type: "string" } }, required: ["id"] },
};

const server = createMcpServer({
  info: { name: "counting", version: "1.0.0" },
  tools: {
    list: () => [tool],
    find: (name) => (name === tool.name ? tool : undefined),
    async call(_, args) {
      const { id } = args as { readonly id: string };
      appendFileSync(file, `${id}\n`);
      return textResult(id);
    },
  },
});
await serveStdio(server, { input: process.stdin, output: process.stdout });
