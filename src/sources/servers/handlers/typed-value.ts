import { Fault } from "../../../core/fault.ts";
import { quoted } from "../../../core/quoted.ts";
import type { JsonSchema } from "../../../mcp/tool.ts";
import { choicesOf, itemsOf, type Shapes, typesOf } from "./argument-schema.ts";

/** A typed word as the value its schema wants. Where the schema says nothing it is JSON, or else the text as it is. */
export function typedValue(key: string, text: string, shapes: Shapes, root: JsonSchema): unknown {
  const choices = choicesOf(shapes);
  const chosen = choices.find((choice) => choice === text) ?? choices.find((choice) => String(choice) === text);
  if (chosen !== undefined) return chosen;
  const types = typesOf(shapes);
  if (types.size === 0) return choices.length > 0 ? text : anyValue(text);
  if (types.has("null") && text === "null") return null;
  if (types.has("boolean") && (text === "true" || text === "false")) return text === "true";
  if (types.has("number") && isNumber(text)) return Number(text);
  if (types.has("integer") && isNumber(text) && Number.isInteger(Number(text))) return Number(text);
  if (types.has("array") && text.startsWith("[")) return parsed(key, text, "array");
  if (types.has("object") && text.startsWith("{")) return parsed(key, text, "object");
  if (types.has("string")) return text;
  if (types.has("array")) return [typedValue(key, text, itemsOf(shapes, root), root)];
  throw new Fault("usage", `${key} has to be ${wanted(types)}, not ${quoted(text, 100)}.`);
}

function isNumber(text: string): boolean {
  return /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(text) && Number.isFinite(Number(text));
}

function anyValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function parsed(key: string, text: string, what: "array" | "object"): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Fault("usage", `${key} begins like a JSON ${what} but is none: ${(cause as Error).message}`, { cause });
  }
}

const names: Readonly<Record<string, string>> = {
  boolean: "true or false",
  integer: "a whole number",
  number: "a number",
  object: "a JSON object",
  null: "null",
};

function wanted(types: ReadonlySet<string>): string {
  return [...types].map((type) => names[type] ?? type).join(" or ");
}
