import { Fault } from "../../src/core/fault.ts";
import { textBlock, textResult, type Tool } from "../../src/mcp/messages/tool.ts";
import type { McpOffer, ToolOffer } from "../../src/mcp/server/offer.ts";

/** The largest message that the target accepts: small, so that exceeding it is cheap. */
export const maxMessageBytes = 256 * 1024;

const anything = { type: "object" };

const echoSchema = {
  type: "object",
  properties: {
    text: { type: "string", maxLength: 2000 },
    count: { type: "integer" },
    list: { type: "array", items: { type: "number" } },
    nested: { $ref: "#" },
  },
};

const tools: readonly Tool[] = [
  { name: "echo", inputSchema: echoSchema },
  { name: "strict", inputSchema: { ...echoSchema, required: ["text"], additionalProperties: false } },
  { name: "fail", inputSchema: anything },
  { name: "ask", inputSchema: anything },
  { name: "task", inputSchema: anything },
  { name: "wait", inputSchema: anything },
];

const callTool: ToolOffer["call"] = async (tool, args, context) => {
  switch (tool.name) {
    case "fail":
      throw new Fault("unavailable", "This tool always fails.");
    case "ask": {
      const requestedSchema = { type: "object", properties: { ok: { type: "boolean" } } };
      const answer = await context.ask(
        { method: "elicitation/create", params: { message: "Well?", requestedSchema } },
        "well",
      );
      return textResult(String(answer.action));
    }
    case "task":
      context.detach("on its way");
      return textResult("done");
    case "wait":
      return new Promise((_resolve, reject) => {
        context.signal.addEventListener("abort", () => reject(new Fault("cancelled", "Enough.")), { once: true });
      });
    default:
      context.progress({ progress: 1, total: 1 });
      context.tell({ level: "info", data: "echo" });
      return textResult(String(args.text));
  }
};

/** What the fuzzed server offers: one quick tool for each kind of call. */
export const targetOffer: McpOffer = {
  info: { name: "fuzz-target", version: "1.0.0" },
  tools: { list: () => tools, find: (name) => tools.find((tool) => tool.name === name), call: callTool },
  resources: {
    list: () => [{ uri: "fuzz://text", name: "text" }],
    templates: () => [{ uriTemplate: "fuzz://{id}", name: "any" }],
    async read(uri) {
      if (uri !== "fuzz://text" && uri !== "fuzz://watched") throw new Fault("unknown-resource", "Resource not found");
      return { contents: [{ uri, text: "text" }] };
    },
    watch: async () => () => {},
  },
  prompts: {
    list: () => [{ name: "plain" }, { name: "needy", arguments: [{ name: "what", required: true }] }],
    get: async (name, args) => ({ messages: [{ role: "user", content: textBlock(`${name} ${args.what}`) }] }),
  },
  complete: async ({ argument }) => ({ values: [`${argument.value}!`] }),
  onChange: () => () => {},
};
