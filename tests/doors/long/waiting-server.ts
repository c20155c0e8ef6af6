import { setTimeout as sleep } from "node:timers/promises";
import { textResult, type Tool } from "../../../src/mcp/messages/tool.ts";
import { createMcpServer } from "../../../src/mcp/server/mcp-server.ts";
import { serveStdio } from "../../../src/mcp/stdio/serve-stdio.ts";

/** A stdio server: `echo` answers at once, `wait` after `ms`. */
const tools: readonly Tool[] = ["echo", "wait"].map((name) => ({ name, inputSchema: { type: "object" } }));
const server = createMcpServer({
  info: { name: "waiting", version: "1.0.0" },
  tools: {
    list: () => tools,
    find: (name) => tools.find((tool) => tool.name === name),
    async call({ name }, { ms }, { signal }) {
      if (name === "wait") await sleep(Number(ms), undefined, { signal });
      return textResult(name);
    },
  },
});
await serveStdio(server, { input: process.stdin, output: process.stdout });
server.close();
