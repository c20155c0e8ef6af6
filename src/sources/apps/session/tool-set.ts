import { hash } from "node:crypto";
import { cleanTool } from "../../../catalog/clean-definition.ts";
import { Fault } from "../../../core/fault.ts";
import { isRecord } from "../../../core/is-record.ts";
import type { JsonSchema, Tool, ToolAnnotations } from "../../../mcp/messages/tool.ts";
import { measureValue, schemaBounds } from "../../../mcp/schema/measure-value.ts";
import { judgeSchema } from "../../../mcp/schema/prepare-schema.ts";

/** The tools of one registration. */
export interface ToolSet {
  readonly tools: readonly Tool[];
  /** As the app sent them, for the store. */
  readonly raw: readonly unknown[];
  /** Their size as JSON. */
  readonly bytes: number;
}

/** A schema lies two levels deep: in a tool, in the list. */
const maxDepth = schemaBounds.depth + 2;

const cache = new Map<string, WeakRef<ToolSet>>();
const collected = new FinalizationRegistry<string>((key) => {
  if (cache.get(key)?.deref() === undefined) cache.delete(key);
});

/** Many users of one app register the same tools: equal sets are checked once and kept in memory once. */
export function parseToolSet(value: unknown): ToolSet {
  if (measureValue(value, { depth: maxDepth, nodes: Infinity }) === "too deep") {
    throw badTools("`tools` is nested too deep");
  }
  const json = JSON.stringify(value) ?? "";
  const key = hash("sha256", json, "base64url");
  const cached = cache.get(key)?.deref();
  if (cached) return cached;
  const tools = parseToolDefinitions(value).map((tool) => cleanTool(tool).item);
  const made = { tools, raw: value as readonly unknown[], bytes: json.length };
  cache.set(key, new WeakRef(made));
  collected.register(made, key);
  return made;
}

export const maxTools = 128;
/** Size of one definition as JSON. */
const maxToolBytes = 64 * 1024;
const nameShape = /^[A-Za-z0-9_.:/-]{1,128}$/;
const maxTitleLength = 256;
const maxTextLength = 16 * 1024;

/** Throws a fault that says which tool is wrong and why. Schemas are only inspected here. */
function parseToolDefinitions(value: unknown): readonly Tool[] {
  if (!Array.isArray(value)) throw badTools("`tools` must be a list");
  if (value.length > maxTools) throw badTools(`\`tools\` has ${value.length} entries; the limit is ${maxTools}`);
  const tools = value.map((each, index) => parseToolDefinition(each, `tools[${index}]`));
  const seen = new Set<string>();
  for (const { name } of tools) {
    if (seen.has(name)) throw badTools(`tool names must be unique within a session; "${name}" is listed twice`);
    seen.add(name);
  }
  return tools;
}

function parseToolDefinition(value: unknown, where: string): Tool {
  if (!isRecord(value)) throw badTools(`${where} must be an object`);
  const { name } = value;
  if (typeof name !== "string" || !nameShape.test(name)) {
    throw badTools(`${where}.name must be 1 to 128 letters, digits or any of _ . : / -`);
  }
  if (Buffer.byteLength(JSON.stringify(value)) > maxToolBytes) {
    throw badTools(`the definition of "${name}" is larger than ${maxToolBytes} bytes`);
  }
  // `path` is stored with the rest and never used.
  textOf(value, "path", where, maxTextLength);
  const title = textOf(value, "title", where, maxTitleLength);
  const description = textOf(value, "description", where, maxTextLength);
  const outputSchema = schemaOf(value.output_schema ?? value.outputSchema, "output_schema", name);
  const annotations = annotationsOf(value.annotations, where);
  return {
    name,
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    inputSchema: schemaOf(value.input_schema ?? value.inputSchema, "input_schema", name) ?? { type: "object" },
    ...(outputSchema === undefined ? {} : { outputSchema }),
    ...(annotations === undefined ? {} : { annotations }),
  };
}

/** MCP spells the keys in camel case; both spellings are accepted. */
function schemaOf(schema: unknown, key: string, name: string): JsonSchema | undefined {
  if (schema === undefined || schema === null) return undefined;
  const judgement = judgeSchema(schema);
  if (!judgement.ok) throw badTools(`\`${key}\` of "${name}" can't be used: ${judgement.reason.slice(0, 300)}`);
  // MCP clients refuse any other type at the top; here a missing type means an object.
  const { type = "object" } = schema as JsonSchema;
  if (type !== "object") throw badTools(`\`${key}\` of "${name}" must have the type object`);
  return { ...(schema as JsonSchema), type };
}

const hintNames = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] as const;

function annotationsOf(value: unknown, where: string): ToolAnnotations | undefined {
  if (value === undefined || value === null) return undefined;
  if (!isRecord(value)) throw badTools(`${where}.annotations must be an object`);
  const title = textOf(value, "title", `${where}.annotations`, maxTitleLength);
  const hints = hintNames
    .filter((name) => typeof value[name] === "boolean")
    .map((name) => [name, value[name]] as const);
  return { ...(title === undefined ? {} : { title }), ...Object.fromEntries(hints) };
}

function textOf(value: Record<string, unknown>, key: string, where: string, longest: number): string | undefined {
  const text = value[key];
  if (text === undefined || text === null) return undefined;
  if (typeof text !== "string" || text.length > longest) {
    throw badTools(`${where}.${key} must be a string of at most ${longest} characters`);
  }
  return text;
}

/** Used when a session is opened and when its tools are replaced, so the message fits both. */
export function badTools(problem: string): Fault {
  return new Fault("bad-params", `The tools were rejected: ${problem}.`);
}
