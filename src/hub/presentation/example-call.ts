import { isRecord } from "../../core/is-record.ts";
import type { JsonSchema } from "../../mcp/messages/tool.ts";
import { choicesOf, itemsOf, keysOf, propertyOf, type Shapes, shapesOf, typesOf } from "./argument-schema.ts";
import { shellWord } from "../../core/text/shell-word.ts";

const deepest = 4;
const maxArguments = 12;
const maxValues = 100;
const maxTextLength = 200;

/** Arguments that a tool with this schema could take: the required ones; if there are none, the first one. */
export function exampleArguments(schema: JsonSchema): Readonly<Record<string, unknown>> {
  return exampleObject(shapesOf(schema, schema), { schema, left: maxValues }, 0);
}

/** The schema that references point into, and how many more values the example may have. */
interface Root {
  readonly schema: JsonSchema;
  left: number;
}

/** The arguments as they are typed after `call <tool>`. */
export function exampleWords(args: Readonly<Record<string, unknown>>): readonly string[] {
  const entries = Object.entries(args);
  if (entries.some(([key, value]) => !isPlain(value) || /[=\s{]/.test(key) || key.startsWith("-")))
    return [shellWord(JSON.stringify(args))];
  return entries.map(([key, value]) =>
    shellWord(`${key}=${typeof value === "string" ? value : JSON.stringify(value)}`),
  );
}

function isPlain(value: unknown): boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

function exampleObject(shapes: Shapes, root: Root, depth: number): Record<string, unknown> {
  const { names } = keysOf(shapes);
  const required = shapes.flatMap(({ required: list }) => (Array.isArray(list) ? list.map(String) : []));
  const needed = names.filter((name) => required.includes(name));
  const chosen = needed.length === 0 && depth === 0 ? names.slice(0, 1) : needed;
  return Object.fromEntries(
    chosen
      .slice(0, maxArguments)
      .map((name) => [name, exampleValue(propertyOf(shapes, name, root.schema), root, depth + 1)]),
  );
}

function exampleValue(shapes: Shapes, root: Root, depth: number): unknown {
  if (--root.left < 0) return "…";
  const [given] = shapes.flatMap((shape) => [
    ...(Array.isArray(shape["examples"]) ? (shape["examples"] as unknown[]) : []),
    ...(shape["default"] === undefined || shape["default"] === null ? [] : [shape["default"]]),
  ]);
  if (given !== undefined && JSON.stringify(given).length <= maxTextLength) return given;
  const [choice] = choicesOf(shapes);
  if (choice !== undefined) return choice;
  const types = typesOf(shapes);
  if (types.has("string")) return exampleText(shapes);
  if (types.has("integer") || types.has("number")) return exampleNumber(shapes);
  if (types.has("boolean")) return true;
  if (types.has("array")) return depth > deepest ? [] : exampleItems(shapes, root, depth);
  if (types.has("object") || shapes.some(({ properties }) => isRecord(properties)))
    return depth > deepest ? {} : exampleObject(shapes, root, depth);
  return types.has("null") ? null : "…";
}

function exampleItems(shapes: Shapes, root: Root, depth: number): unknown[] {
  const items = itemsOf(shapes, root.schema);
  return items.length === 0 ? [] : [exampleValue(items, root, depth + 1)];
}

const textsByFormat: Readonly<Record<string, string>> = {
  uri: "https://example.com",
  url: "https://example.com",
  email: "you@example.com",
  date: "2026-01-31",
  "date-time": "2026-01-31T12:00:00Z",
};

function exampleText(shapes: Shapes): string {
  const format = shapes.flatMap(({ format: name }) => (typeof name === "string" ? [name] : []))[0] ?? "";
  return Object.hasOwn(textsByFormat, format) ? (textsByFormat[format] ?? "") : "…";
}

function exampleNumber(shapes: Shapes): number {
  const limit = (name: string): number | undefined =>
    shapes.map((shape) => shape[name]).find((value) => typeof value === "number" && Number.isFinite(value)) as
      | number
      | undefined;
  const above = limit("exclusiveMinimum");
  const least = limit("minimum") ?? (above === undefined ? 1 : above + 1);
  return Math.min(Math.max(1, least), limit("maximum") ?? Infinity);
}
