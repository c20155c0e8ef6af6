import { isRecord } from "../../../core/is-record.ts";
import type { Prompt, Resource, ResourceTemplate } from "../../../mcp/messages/resources-and-prompts.ts";
import type { JsonSchema, Tool } from "../../../mcp/messages/tool.ts";

/** For a model: says why, but not how to change it. */
const withheld = "Its description is withheld until the owner of this hub has looked at it.";

/** A tool as clients see it before a person has looked at its words: its name and the shape of its arguments. */
export function withholdWords<T extends Tool | Prompt | string>(item: T): T {
  if (typeof item === "string") return "" as T;
  return (isTool(item) ? withholdTool(item) : withholdPrompt(item)) as T;
}

const isTool = (item: Tool | Prompt): item is Tool => "inputSchema" in item;

function withholdPrompt({ name, arguments: taken }: Prompt): Prompt {
  const bare = taken?.map(({ name: own, required }) => ({ name: own, ...(required !== undefined && { required }) }));
  return { name, description: withheld, ...(bare && { arguments: bare }) };
}

function withholdTool({ name, inputSchema, annotations, execution }: Tool): Tool {
  const { title: _, ...hints } = annotations ?? {};
  return {
    name,
    description: withheld,
    inputSchema: { type: "object", ...(shapeOf(inputSchema, 0) as JsonSchema) },
    ...(annotations && { annotations: hints }),
    ...(execution && { execution }),
  };
}

export function withholdResourceWords<T extends Resource | ResourceTemplate>(resource: T): T {
  const { title: _, description: __, ...rest } = resource;
  return rest as T;
}

const kept = new Set(["type", "properties", "items", "required", "anyOf", "oneOf", "allOf", "additionalProperties"]);
const maxDepth = 50;

/** A schema without its texts. */
function shapeOf(schema: unknown, depth: number): unknown {
  if (depth > maxDepth) return {};
  if (Array.isArray(schema)) return schema.map((each) => shapeOf(each, depth + 1));
  if (!isRecord(schema)) return schema;
  const entries = Object.entries(schema).filter(([key]) => kept.has(key));
  return Object.fromEntries(
    entries.map(([key, value]) => {
      if (key !== "properties" || !isRecord(value)) return [key, shapeOf(value, depth + 1)];
      return [key, Object.fromEntries(Object.entries(value).map(([name, each]) => [name, shapeOf(each, depth + 1)]))];
    }),
  );
}
