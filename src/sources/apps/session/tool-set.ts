import { hash } from "node:crypto";
import { Fault } from "../../../core/fault.ts";
import { isRecord } from "../../../core/is-record.ts";
import type { JsonSchema, Tool, ToolAnnotations } from "../../../mcp/messages/tool.ts";
import { measureValue, schemaBounds } from "../../../mcp/schema/measure-value.ts";
import { judgeSchema } from "../../../mcp/schema/prepare-schema.ts";

/** The tools of one registration. */
export interface ToolSet {
  readonly tools: readonly Tool[];
  /** As they came, for the store. */
  readonly raw: readonly unknown[];
  /** What they weigh as JSON. */
  readonly bytes: number;
}

/** The list and the tool are around the schema. */
const mostDepth = schemaBounds.depth + 2;

const known = new Map<string, WeakRef<ToolSet>>();
const forgotten = new FinalizationRegistry<string>((key) => {
  if (known.get(key)?.deref() === undefined) known.delete(key);
});

/** An app that many people run registers the same tools again and again: they are judged once and kept once. */
export function parseToolSet(value: unknown): ToolSet {
  if (measureValue(value, { depth: mostDepth, nodes: Infinity }) === "too deep") {
    throw badTools("`tools` is nested too deep");
  }
  const json = JSON.stringify(value) ?? "";
  const key = hash("sha256", json, "base64url");
  const same = known.get(key)?.deref();
  if (same) return same;
  const made = { tools: parseToolDefinitions(value), raw: value as readonly unknown[], bytes: json.length };
  known.set(key, new WeakRef(made));
  forgotten.register(made, key);
  return made;
}

export const mostTools = 128;
/** Of one definition as JSON. */
const mostToolBytes = 64 * 1024;
const nameShape = /^[A-Za-z0-9_.:/-]{1,128}$/;
const longestTitle = 256;
const longestText = 16 * 1024;

/** The tools of a registration, or a fault that says which one is wrong and why. Schemas are judged, never run. */
function parseToolDefinitions(value: unknown): readonly Tool[] {
  if (!Array.isArray(value)) throw badTools("`tools` has to be a list");
  if (value.length > mostTools) throw badTools(`\`tools\` holds ${value.length}; ${mostTools} are taken here`);
  const tools = value.map((each, index) => parseToolDefinition(each, `tools[${index}]`));
  const seen = new Set<string>();
  for (const { name } of tools) {
    if (seen.has(name)) throw badTools(`tool names have to be unique within a session; "${name}" is there twice`);
    seen.add(name);
  }
  return tools;
}

function parseToolDefinition(value: unknown, where: string): Tool {
  if (!isRecord(value)) throw badTools(`${where} has to be an object`);
  const { name } = value;
  if (typeof name !== "string" || !nameShape.test(name)) {
    throw badTools(`${where}.name has to be 1 to 128 letters, digits or any of _ . : / -`);
  }
  if (Buffer.byteLength(JSON.stringify(value)) > mostToolBytes) {
    throw badTools(`the definition of "${name}" is larger than the ${mostToolBytes} bytes taken here`);
  }
  // Where the app keeps it: ours to keep with the rest, never to use.
  textOf(value, "path", where, longestText);
  const title = textOf(value, "title", where, longestTitle);
  const description = textOf(value, "description", where, longestText);
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

/** MCP and its clients spell it in one word; both are taken. */
function schemaOf(schema: unknown, key: string, name: string): JsonSchema | undefined {
  if (schema === undefined || schema === null) return undefined;
  const judgement = judgeSchema(schema);
  if (!judgement.ok) throw badTools(`\`${key}\` of "${name}" can't be used: ${judgement.reason.slice(0, 300)}`);
  // MCP clients refuse any other type at the top; leaving it out has always meant an object here.
  const { type = "object" } = schema as JsonSchema;
  if (type !== "object") throw badTools(`\`${key}\` of "${name}" has to be of type object`);
  return { ...(schema as JsonSchema), type };
}

const hintNames = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] as const;

function annotationsOf(value: unknown, where: string): ToolAnnotations | undefined {
  if (value === undefined || value === null) return undefined;
  if (!isRecord(value)) throw badTools(`${where}.annotations has to be an object`);
  const title = textOf(value, "title", `${where}.annotations`, longestTitle);
  const hints = hintNames
    .filter((name) => typeof value[name] === "boolean")
    .map((name) => [name, value[name]] as const);
  return { ...(title === undefined ? {} : { title }), ...Object.fromEntries(hints) };
}

function textOf(value: Record<string, unknown>, key: string, where: string, longest: number): string | undefined {
  const text = value[key];
  if (text === undefined || text === null) return undefined;
  if (typeof text !== "string" || text.length > longest) {
    throw badTools(`${where}.${key} has to be a text of at most ${longest} characters`);
  }
  return text;
}

/** A session is opened with tools, and gets others later: what is said fits both. */
export function badTools(problem: string): Fault {
  return new Fault("bad-params", `The tools can't be taken: ${problem}.`);
}
