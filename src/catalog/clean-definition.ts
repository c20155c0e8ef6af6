import { isRecord } from "../core/is-record.ts";
import type { Prompt, Resource, ResourceTemplate } from "../mcp/messages/resources-and-prompts.ts";
import type { JsonSchema, Tool } from "../mcp/messages/tool.ts";
import { countCharacters } from "../mcp/schema/measure-value.ts";
import { cleanText, hasHiddenText } from "./clean-text.ts";

/** A definition without hidden characters in its texts. It is the same object if there were none. */
export interface Cleaned<T> {
  readonly item: T;
  /** How many characters were removed. */
  readonly removed: number;
  /** Where hidden characters are left, since removing them would change what the definition means. */
  readonly flagged: readonly string[];
}

const maxFlagged = 20;

/** Collects what a cleaning does. */
interface Cleaner {
  text<T extends string | undefined>(text: T): T;
  /** Notes a place whose characters stay as they are. */
  flag(text: unknown, place: string): void;
}

export function cleanTool(tool: Tool): Cleaned<Tool> {
  return clean(tool, ({ text, flag }) => {
    flag(tool.name, "name");
    const { annotations, outputSchema } = tool;
    return {
      ...textsOf(tool, text),
      ...(annotations?.title === undefined ? {} : { annotations: { ...annotations, title: text(annotations.title) } }),
      inputSchema: cleanSchema(tool.inputSchema, "inputSchema", { text, flag }),
      ...(outputSchema === undefined
        ? {}
        : { outputSchema: cleanSchema(outputSchema, "outputSchema", { text, flag }) }),
    };
  });
}

export function cleanPrompt(prompt: Prompt): Cleaned<Prompt> {
  return clean(prompt, ({ text, flag }) => {
    flag(prompt.name, "name");
    if (!Array.isArray(prompt.arguments)) return textsOf(prompt, text);
    const cleaned = prompt.arguments.filter(isRecord).map((argument) => {
      flag(argument.name, "arguments");
      return { ...argument, ...textsOf(argument, text) };
    });
    return { ...textsOf(prompt, text), arguments: cleaned as unknown as NonNullable<Prompt["arguments"]> };
  });
}

/** Its name is a text to show, too: the URI identifies it. */
export function cleanResource<T extends Resource | ResourceTemplate>(resource: T): Cleaned<T> {
  return clean(resource, ({ text }) => ({ ...textsOf(resource, text), name: text(resource.name) }) as Partial<T>);
}

function clean<T extends object>(item: T, work: (cleaner: Cleaner) => Partial<T>): Cleaned<T> {
  let removed = 0;
  const flagged = new Set<string>();
  const cleaned = work({
    text(text) {
      if (typeof text !== "string") return text;
      const kept = cleanText(text);
      if (kept !== text) removed += countCharacters(text) - countCharacters(kept);
      return kept as typeof text;
    },
    flag(text, place) {
      if (flagged.size < maxFlagged && typeof text === "string" && hasHiddenText(text)) flagged.add(place);
    },
  });
  return { item: removed === 0 ? item : { ...item, ...cleaned }, removed, flagged: [...flagged] };
}

function textsOf(
  item: { readonly title?: unknown; readonly description?: unknown },
  text: Cleaner["text"],
): { title?: string; description?: string } {
  const { title, description } = item;
  return {
    ...(typeof title === "string" ? { title: text(title) } : {}),
    ...(typeof description === "string" ? { description: text(description) } : {}),
  };
}

/** Keywords whose values are schemas by name: the names are not texts, even if one is called `title`. */
const namedSchemas = new Set(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"]);
/** Keywords whose values are data: a call must send exactly these. */
const data = new Set(["enum", "const", "default", "examples", "required", "dependentRequired", "pattern"]);

function cleanSchema(schema: JsonSchema, path: string, cleaner: Cleaner): JsonSchema {
  const entries = Object.entries(schema).map(([key, value]): [string, unknown] => {
    const place = `${path}.${key}`;
    cleaner.flag(key, path);
    if ((key === "title" || key === "description") && typeof value === "string") return [key, cleaner.text(value)];
    if (data.has(key)) {
      flagAll(value, place, cleaner);
      return [key, value];
    }
    return [key, namedSchemas.has(key) ? cleanNamed(value, place, cleaner) : cleanBelow(value, place, cleaner)];
  });
  return Object.fromEntries(entries);
}

function cleanNamed(value: unknown, path: string, cleaner: Cleaner): unknown {
  if (!isRecord(value)) return cleanBelow(value, path, cleaner);
  return Object.fromEntries(
    Object.entries(value).map(([name, schema]) => {
      cleaner.flag(name, path);
      return [name, cleanBelow(schema, `${path}.${name}`, cleaner)];
    }),
  );
}

function cleanBelow(value: unknown, path: string, cleaner: Cleaner): unknown {
  if (Array.isArray(value)) return value.map((each, index) => cleanBelow(each, `${path}[${index}]`, cleaner));
  if (isRecord(value)) return cleanSchema(value, path, cleaner);
  cleaner.flag(value, path);
  return value;
}

function flagAll(value: unknown, place: string, cleaner: Cleaner): void {
  cleaner.flag(value, place);
  if (typeof value !== "object" || value === null) return;
  for (const [key, each] of Object.entries(value)) {
    cleaner.flag(key, place);
    flagAll(each, place, cleaner);
  }
}
