import { createInterface } from "node:readline";

/** A server whose tools answer with as many blocks as their name says, written without the library: it would be too slow. */
const block = '{"type":"text","text":"x"}';
const tools = { million: 1_000_000, "ten-thousand": 10_000, more: 10_001 } as Readonly<Record<string, number>>;

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line) as { id?: number; method: string; params?: { name: string } };
  if (id === undefined) return;
  process.stdout.write(`{"jsonrpc":"2.0","id":${id},"result":${resultOf(method, params?.name ?? "")}}\n`);
});

function resultOf(method: string, name: string): string {
  if (method === "tools/call") return `{"content":[${Array.from({ length: tools[name]! }, () => block).join(",")}]}`;
  if (method === "tools/list")
    return JSON.stringify({
      tools: Object.keys(tools).map((each) => ({ name: each, inputSchema: { type: "object" } })),
    });
  if (method !== "initialize") return "{}";
  const serverInfo = { name: "flood", version: "1" };
  return JSON.stringify({ protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo });
}
