import type { CatalogTool } from "../catalog/source.ts";
import { isRecord } from "../core/is-record.ts";
import { scriptPath } from "./script-path.ts";

const maxDepth = 5;
const maxDescription = 200;

/**
 * A tool as a declaration in TypeScript: shorter than its schemas, and a form that models know. What a schema says beyond types is left out: the call is checked in any case.
 */
export function described(tool: CatalogTool): string {
  const { description, inputSchema, outputSchema } = tool.definition;
  const args = typeOf(inputSchema, 0);
  const isOptional = isRecord(inputSchema) && !(Array.isArray(inputSchema.required) && inputSchema.required.length > 0);
  const result = outputSchema === undefined ? "unknown" : typeOf(outputSchema, 0);
  return `${comment(description, "", 1000)}tools.${scriptPath(tool)}(args${isOptional ? "?" : ""}: ${args}): Promise<${result}>`;
}

function typeOf(schema: unknown, depth: number): string {
  if (!isRecord(schema) || depth > maxDepth) return "unknown";
  if (Array.isArray(schema.enum)) return unionOf(schema.enum.map((each) => JSON.stringify(each)));
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  for (const many of [schema.anyOf, schema.oneOf])
    if (Array.isArray(many)) return unionOf(many.map((each) => typeOf(each, depth + 1)));
  if (Array.isArray(schema.type)) return unionOf(schema.type.map((type) => typeOf({ ...schema, type }, depth)));
  switch (schema.type) {
    case "string":
    case "boolean":
    case "null":
      return schema.type;
    case "number":
    case "integer":
      return "number";
    case "array":
      return arrayOf(typeOf(schema.items, depth + 1));
    default:
      return isRecord(schema.properties) ? objectOf(schema, schema.properties, depth) : recordOf(schema, depth);
  }
}

function objectOf(
  schema: Readonly<Record<string, unknown>>,
  properties: Readonly<Record<string, unknown>>,
  depth: number,
) {
  const required = new Set<unknown>(Array.isArray(schema.required) ? schema.required : []);
  const indent = "  ".repeat(depth + 1);
  const lines = Object.entries(properties).map(([name, each]) => {
    const said = isRecord(each) ? comment(each.description, indent, maxDescription) : "";
    const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
    return `${said}${indent}${key}${required.has(name) ? "" : "?"}: ${typeOf(each, depth + 1)};`;
  });
  return lines.length === 0 ? "{}" : `{\n${lines.join("\n")}\n${"  ".repeat(depth)}}`;
}

function recordOf({ type, additionalProperties }: Readonly<Record<string, unknown>>, depth: number): string {
  if (type !== "object") return "unknown";
  return `Record<string, ${isRecord(additionalProperties) ? typeOf(additionalProperties, depth + 1) : "unknown"}>`;
}

const arrayOf = (item: string): string => (/[|{ ]/.test(item) ? `Array<${item}>` : `${item}[]`);

const unionOf = (types: readonly string[]): string => [...new Set(types)].join(" | ") || "never";

/** What a server wrote may hold the end of a comment. */
function comment(text: unknown, indent: string, longest: number): string {
  if (typeof text !== "string" || text.trim() === "") return "";
  const line = text.trim().replaceAll(/\s+/g, " ").replaceAll("*/", "* /");
  return `${indent}/** ${line.length > longest ? `${line.slice(0, longest).toWellFormed()}…` : line} */\n`;
}
