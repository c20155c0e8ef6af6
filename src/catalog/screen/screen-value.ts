import { isRecord } from "../../core/is-record.ts";
import { atOnce } from "../../core/slices/in-slices.ts";
import type { Finding } from "./finding.ts";
import { indexTools } from "./neighbours.ts";
import { screenDefinition, surroundings } from "./screen-definition.ts";
import { screenResult } from "./screen-result.ts";

/** A finding with the tool, or the file, that it is about. */
export interface NamedFinding extends Finding {
  readonly tool: string;
}

type Definition = Readonly<Record<string, unknown>>;

/** What a person or a build hands in to be screened: definitions, or the result of a call. */
export interface ScreenableFile {
  readonly name: string;
  readonly value: unknown;
}

/** Undefined for what is neither a definition, nor a list of them, nor a result. The files are the definitions of one server. */
export function screenFiles(files: readonly ScreenableFile[]): readonly NamedFinding[] | undefined {
  const definitions = files.flatMap(({ value }) => definitionsIn(value));
  const results = files.filter(({ value }) => isRecord(value) && Array.isArray(value.content));
  if (definitions.length + results.length === 0) return undefined;
  return [
    ...screenDefinitions(definitions),
    ...results.flatMap(({ name, value }) =>
      atOnce(screenResult(value as Parameters<typeof screenResult>[0])).map((finding) => ({ tool: name, ...finding })),
    ),
  ];
}

/** The definitions of one server, alone. */
function screenDefinitions(definitions: readonly Definition[]): readonly NamedFinding[] {
  const around = surroundings("", definitions, indexTools([]));
  return definitions.flatMap((definition) => {
    const tool = typeof definition.name === "string" ? definition.name : "instructions";
    return screenDefinition(definition, around).map((finding) => ({ tool, ...finding }));
  });
}

/** A tool, a prompt, a list of them, the answer to `tools/list`, or `{ instructions }`. */
function definitionsIn(value: unknown): readonly Definition[] {
  if (Array.isArray(value)) return value.flatMap(definitionsIn);
  if (!isRecord(value)) return [];
  const { name, description, inputSchema, instructions, result } = value;
  const lists = [value.tools, value.prompts, value.resources].filter(Array.isArray).flatMap(definitionsIn);
  if (lists.length > 0) return typeof instructions === "string" ? [...lists, { instructions }] : lists;
  if (isRecord(result)) return definitionsIn(result);
  if (typeof name === "string" && (typeof description === "string" || isRecord(inputSchema))) return [value];
  return typeof instructions === "string" ? [{ instructions }] : [];
}
