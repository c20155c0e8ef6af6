import { isRecord } from "../../core/is-record.ts";

/** One text of a definition, and what kind of text it is. */
export interface DefinitionText {
  readonly where: string;
  readonly text: string;
  /** `value`: an enum, a default, an example. */
  readonly kind: "name" | "description" | "parameter" | "value";
}

const maxTexts = 5000;
const maxDepth = 100;
const textKeys = new Set([
  "title",
  "description",
  "$comment",
  "markdownDescription",
  "errorMessage",
  "instructions",
  "summary",
]);
const namedSchemas = new Set(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"]);
const valueKeys = new Set([
  "enum",
  "const",
  "default",
  "examples",
  "example",
  "enumNames",
  "enumDescriptions",
  "pattern",
  "format",
]);

/** Every text of a definition at any depth, in its order. */
export function definitionTexts(definition: Readonly<Record<string, unknown>>): readonly DefinitionText[] {
  const found: DefinitionText[] = [];
  const add = (kind: DefinitionText["kind"], where: string, text: unknown): void => {
    if (typeof text === "string" && text !== "" && found.length < maxTexts) found.push({ kind, where, text });
  };

  function readValue(value: unknown, where: string, depth: number): void {
    if (depth > maxDepth) return;
    if (typeof value === "string") add("value", where, value);
    else if (Array.isArray(value))
      for (const [index, each] of value.entries()) readValue(each, `${where}[${index}]`, depth + 1);
    else if (isRecord(value))
      for (const [key, each] of Object.entries(value)) readValue(each, `${where}.${key}`, depth + 1);
  }

  function readSchema(schema: unknown, where: string, depth: number): void {
    if (depth > maxDepth) return;
    if (Array.isArray(schema))
      for (const [index, each] of schema.entries()) readSchema(each, `${where}[${index}]`, depth + 1);
    if (!isRecord(schema)) return;
    for (const [key, value] of Object.entries(schema)) {
      const place = where === "" ? key : `${where}.${key}`;
      if (textKeys.has(key) && typeof value === "string") add("description", place, value);
      else if (valueKeys.has(key)) readValue(value, place, depth + 1);
      else if (namedSchemas.has(key) && isRecord(value)) {
        for (const [name, each] of Object.entries(value)) {
          add("parameter", `${place}.${name}`, name);
          readSchema(each, `${place}.${name}`, depth + 1);
        }
      } else if (typeof value === "object") readSchema(value, place, depth + 1);
      else if (typeof value === "string" && !schemaWords.has(key)) add("value", place, value);
    }
  }

  const { name, inputSchema, outputSchema, arguments: taken, annotations, ...rest } = definition;
  add("name", "name", name);
  for (const [key, value] of Object.entries(rest)) {
    if (typeof value === "string") add(textKeys.has(key) ? "description" : "value", key, value);
    else if (key !== "icons" && key !== "execution") readSchema(value, key, 0);
  }
  if (isRecord(annotations)) add("description", "annotations.title", annotations.title);
  if (Array.isArray(taken)) {
    for (const [index, argument] of taken.entries()) {
      if (!isRecord(argument)) continue;
      add("parameter", `arguments[${index}].name`, argument.name);
      readSchema({ title: argument.title, description: argument.description }, `arguments[${index}]`, 0);
    }
  }
  readSchema(inputSchema, "inputSchema", 0);
  readSchema(outputSchema, "outputSchema", 0);
  return found;
}

/** Words of JSON Schema, not of a server. */
const schemaWords = new Set([
  "type",
  "$schema",
  "$id",
  "$ref",
  "$anchor",
  "$dynamicRef",
  "contentEncoding",
  "contentMediaType",
]);
