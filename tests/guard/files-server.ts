import { textResult, type Tool } from "../../src/mcp/messages/tool.ts";
import { createMcpServer } from "../../src/mcp/server/mcp-server.ts";
import { serveStdio } from "../../src/mcp/stdio/serve-stdio.ts";

/** A server whose tools differ in the rules that the tests have for them; `ask_model` uses its client's model. */
const names = ["free", "by_door", "by_token", "by_agent", "once", "ask_model"];
const tools: readonly Tool[] = names.map((name) => ({ name, inputSchema: { type: "object" } }));
const messages = [{ role: "user", content: { type: "text", text: "hello" } }];

const server = createMcpServer({
  info: { name: "files", version: "1" },
  tools: {
    list: () => tools,
    find: (name) => tools.find((tool) => tool.name === name),
    async call({ name }, _args, context) {
      if (name !== "ask_model") return textResult(`ran ${name}`);
      try {
        const { content } = await context.ask({ method: "sampling/createMessage", params: { messages, maxTokens: 9 } });
        return textResult(`the model wrote ${JSON.stringify(content)}`);
      } catch (error) {
        return textResult(`no model: ${String(error)}`);
      }
    },
  },
});
await serveStdio(server, { input: process.stdin, output: process.stdout });
