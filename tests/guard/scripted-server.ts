import { appendFileSync, readFileSync } from "node:fs";
import { textResult, type Tool } from "../../src/mcp/messages/tool.ts";
import { createMcpServer } from "../../src/mcp/server/mcp-server.ts";
import { serveStdio } from "../../src/mcp/stdio/serve-stdio.ts";

/** A server whose tools and answers are in the file of its first argument; it writes every call to the file of its second. */
const [, , script = "", journal = ""] = process.argv;
const { tools, answers } = JSON.parse(readFileSync(script, "utf8")) as {
  readonly tools: readonly Tool[];
  readonly answers: Readonly<Record<string, string>>;
};

const server = createMcpServer({
  info: { name: "scripted", version: "1" },
  tools: {
    list: () => tools,
    find: (name) => tools.find((tool) => tool.name === name),
    call({ name }, args) {
      appendFileSync(journal, `${JSON.stringify({ name, args })}\n`);
      return Promise.resolve(textResult(answers[name] ?? "ok"));
    },
  },
});
await serveStdio(server, { input: process.stdin, output: process.stdout });
