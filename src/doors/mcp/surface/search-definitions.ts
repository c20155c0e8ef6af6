import type { Tool } from "../../../mcp/messages/tool.ts";

/** The tools of the search surface. They never change, so that a client need not list them again. */

const maxResults = 50;
export const defaultResults = 10;

export const searchToolsDefinition: Tool = {
  name: "search_tools",
  title: "Search tools",
  description:
    "Finds tools of the connected servers by what they do. Answers with names, arguments and summaries; call them with call_tool. Search before you say that something can't be done. Give several phrasings if you are not sure of the words.",
  inputSchema: {
    type: "object",
    properties: {
      query: {
        description: 'What you want to do, such as "create an issue"; or up to 5 phrasings of it.',
        anyOf: [
          { type: "string", minLength: 1, maxLength: 2000 },
          { type: "array", items: { type: "string", maxLength: 2000 }, minItems: 1, maxItems: 5 },
        ],
      },
      limit: { type: "integer", minimum: 1, maximum: maxResults, description: `${defaultResults} unless given.` },
    },
    required: ["query"],
  },
  annotations: { readOnlyHint: true, openWorldHint: false },
};

export const describeToolDefinition: Tool = {
  name: "describe_tool",
  title: "Describe a tool",
  description: "The full definition of a tool: description, schema of its arguments and of its result, hints.",
  inputSchema: {
    type: "object",
    properties: {
      name: { type: "string", description: "As search_tools names it." },
      as: { enum: ["schema", "typescript"], description: "typescript: a short declaration, as run_script calls it." },
    },
    required: ["name"],
  },
  annotations: { readOnlyHint: true, openWorldHint: false },
};

/** Whatever its hints say has to be true of the most dangerous tool that it can call. */
export const callTool: Tool = {
  name: "call_tool",
  title: "Call a tool",
  description: "Calls a tool that search_tools found, and answers with its result.",
  inputSchema: {
    type: "object",
    properties: {
      name: { type: "string", description: "As search_tools names it." },
      arguments: { type: "object", description: "The arguments of that tool.", additionalProperties: true },
    },
    required: ["name"],
  },
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  // The tool that is called decides.
  execution: { taskSupport: "optional" },
};

export const surfaceTools: readonly Tool[] = [searchToolsDefinition, describeToolDefinition, callTool];
