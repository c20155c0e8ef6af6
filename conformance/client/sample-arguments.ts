import type { JsonSchema } from "../../src/mcp/messages/tool.ts";

/** Valid arguments for a schema: for each property its default, its first choice or a value of its type. */
export function sampleArguments({ properties }: JsonSchema): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries((properties ?? {}) as Record<string, JsonSchema>).map(([name, schema]) => [name, sampleOf(schema)]),
  );
}

function sampleOf(schema: JsonSchema): unknown {
  if (schema.default !== undefined) return schema.default;
  if (Array.isArray(schema.enum)) return schema.enum[0];
  switch (schema.type) {
    case "integer":
      return 3;
    case "number":
      return 1.5;
    case "boolean":
      return true;
    case "array":
      return [];
    case "object":
      return sampleArguments(schema);
    default:
      return "text";
  }
}
