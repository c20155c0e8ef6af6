import { type Catalog, createCatalog } from "../../src/catalog/catalog.ts";
import type { ToolSource } from "../../src/catalog/source.ts";
import { textResult } from "../../src/mcp/messages/tool.ts";

/** The same two tools as a source of the catalog. */
const source: ToolSource = {
  id: "bench",
  kind: "server",
  tools: () => tools,
  async call(name, args) {
    if (name === "echo") return textResult((args as { data: string }).data);
    await new Promise((resolve) => setTimeout(resolve, (args as { ms: number }).ms));
    return textResult("slept");
  },
  onChange: () => () => {},
  close: async () => {},
};

const tools = [
  {
    name: "echo",
    description: "Returns data.",
    inputSchema: { type: "object", properties: { data: { type: "string" } }, required: ["data"] },
  },
  {
    name: "sleep",
    description: "Waits.",
    inputSchema: { type: "object", properties: { ms: { type: "number" } }, required: ["ms"] },
  },
];

export function createBenchCatalog(): Catalog {
  const catalog = createCatalog();
  catalog.add(source);
  return catalog;
}
