import { textResult, type Tool } from "../../src/mcp/messages/tool.ts";
import { createMcpServer } from "../../src/mcp/server/mcp-server.ts";
import { serveStdio } from "../../src/mcp/stdio/serve-stdio.ts";

/** A server whose tools have the names of its arguments after the first, and say whose they are. */
const [, , owner = "", ...names] = process.argv;
const inputSchema = { type: "object" };
const tools: readonly Tool[] = names.map((name) => ({ name, description: `${owner} ${name}`, inputSchema }));

const server = createMcpServer({
  info: { name: "named", version: "1" },
  tools: {
    list: () => tools,
    find: (name) => tools.find((tool) => tool.name === name),
    call: ({ name }) => Promise.resolve(textResult(`${owner} ran ${name}`)),
  },
});
await serveStdio(server, { input: process.stdin, output: process.stdout });
