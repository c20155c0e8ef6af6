import type { ResourceTemplate } from "../../../mcp/messages/resources-and-prompts.ts";
import type { Tool } from "../../../mcp/messages/tool.ts";
import { resultTemplate } from "./result-uri.ts";

const annotations = { readOnlyHint: true, idempotentHint: true, openWorldHint: false } as const;
const id = { type: "string", maxLength: 200, description: "From the preview of the result." } as const;
const position = (description: string) => ({ type: "integer", minimum: 0, description }) as const;
const line = (description: string) => ({ type: "integer", minimum: 1, description }) as const;

export const readResult: Tool = {
  name: "read_result",
  title: "Read a large result",
  description:
    "Reads a part of a tool result that was too long to send at once: a range of lines, or of bytes. The answer says where to go on.",
  inputSchema: {
    type: "object",
    properties: {
      id,
      fromLine: line("The first line, counted from 1."),
      toLine: line("The last line."),
      offset: position("Instead of lines: the first byte."),
      length: { type: "integer", minimum: 1, description: "How many bytes; as many as fit unless given." },
    },
    required: ["id"],
    additionalProperties: false,
  },
  annotations,
};

export const searchResult: Tool = {
  name: "search_result",
  title: "Search a large result",
  description:
    "Finds text in a tool result that was too long to send at once, and shows the lines around it with their numbers.",
  inputSchema: {
    type: "object",
    properties: {
      id,
      query: { type: "string", minLength: 1, maxLength: 500, description: "Plain text to find." },
      pattern: {
        type: "string",
        minLength: 1,
        maxLength: 500,
        description: "Instead of a query: a regular expression (RE2: no lookaround, no backreferences).",
      },
      caseSensitive: { type: "boolean", description: "false unless given." },
      context: { type: "integer", minimum: 0, maximum: 20, description: "Lines before and after; 2 unless given." },
      limit: { type: "integer", minimum: 1, maximum: 200, description: "The most matches; 20 unless given." },
      offset: position("The byte to begin at, as an earlier answer said."),
    },
    required: ["id"],
    additionalProperties: false,
  },
  annotations,
};

export const resultTemplateEntry: ResourceTemplate = {
  uriTemplate: resultTemplate,
  name: "result",
  title: "A large result of a tool",
  description: "The text of a tool result that was too long to send at once, or a part of it in bytes.",
  mimeType: "text/plain",
};
