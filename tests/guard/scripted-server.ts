import { appendFileSync, readFileSync } from "node:fs";
import { textResult, type Tool } from "../../src/mcp/messages/tool.ts";
import type { OfferChange } from "../../src/mcp/server/offer.ts";
import { createMcpServer } from "../../src/mcp/server/mcp-server.ts";
import { serveStdio } from "../../src/mcp/stdio/serve-stdio.ts";

/**
 * A server whose tools and answers are in the file of its first argument; it writes every call to the file of its second.
 * After each call it lists the next of `later`, if there is one, and says that its list has changed.
 */
const [, , script = "", journal = ""] = process.argv;
const {
  tools,
  later = [],
  answers,
} = JSON.parse(readFileSync(script, "utf8")) as {
  readonly tools: readonly Tool[];
  readonly later?: readonly (readonly Tool[])[];
  readonly answers: Readonly<Record<string, string>>;
};

const stages = [tools, ...later];
const listeners = new Set<(change: OfferChange) => void>();
const listed = (): readonly Tool[] => stages[0]!;

function goOn(): void {
  if (stages.length === 1) return;
  stages.shift();
  for (const listener of listeners) listener("tools");
}

const server = createMcpServer({
  info: { name: "scripted", version: "1" },
  tools: {
    list: listed,
    find: (name) => listed().find((tool) => tool.name === name),
    call({ name }, args) {
      appendFileSync(journal, `${JSON.stringify({ name, args })}\n`);
      goOn();
      return Promise.resolve(textResult(answers[name] ?? "ok"));
    },
  },
  onChange(listener) {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
});
await serveStdio(server, { input: process.stdin, output: process.stdout });
