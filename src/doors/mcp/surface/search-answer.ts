import { isRecord } from "../../../core/is-record.ts";
import { serverOf } from "../../../catalog/search/server-of.ts";
import type { CatalogTool } from "../../../catalog/source.ts";
import type { Tool } from "../../../mcp/messages/tool.ts";

/** What a search found, as a model reads it: a line a tool, with what a call needs, so that most need no description. */
export function searchAnswerText(found: readonly CatalogTool[], servers: readonly ServerFacet[] | undefined): string {
  const lines = found.map(({ definition }) => lineOf(definition));
  if (servers === undefined) return lines.join("\n");
  const said =
    found.length === 0 ? "No tool fits." : "None of these fits well: search again with other words, or by server.";
  return [...lines, "", `${said} Servers: ${facetsText(servers)}`].join("\n").trim();
}

/** A server, and how many tools it has. */
export interface ServerFacet {
  readonly id: string;
  readonly tools: number;
}

/** The servers of all these tools, those of the found ones first. */
export function facetsOf(found: readonly CatalogTool[], all: readonly CatalogTool[]): readonly ServerFacet[] {
  const counts = new Map<string, number>();
  for (const tool of found) counts.set(serverOf(tool), 0);
  for (const tool of all) counts.set(serverOf(tool), (counts.get(serverOf(tool)) ?? 0) + 1);
  return Array.from(counts, ([id, tools]) => ({ id, tools })).filter(({ tools }) => tools > 0);
}

const maxFacets = 40;

function facetsText(servers: readonly ServerFacet[]): string {
  const shown = servers.slice(0, maxFacets).map(({ id, tools }) => `${id} (${tools})`);
  const rest = servers.length - shown.length;
  return [...shown, ...(rest > 0 ? [`${rest} more`] : [])].join(", ");
}

function lineOf(tool: Tool): string {
  const said: unknown = tool.description ?? tool.title ?? tool.annotations?.title;
  // A server may send anything.
  const summary = typeof said === "string" ? summaryOf(said) : "";
  // What was cut may end in half a character.
  return `${tool.name}(${signatureOf(tool.inputSchema)})${summary === "" ? "" : ` - ${summary}`}`.toWellFormed();
}

const maxSummaryLength = 160;

/** The first sentence. */
function summaryOf(description: string): string {
  const text = description.slice(0, 1000).trim().replaceAll(/\s+/g, " ");
  const end = text.search(/[.!?] /);
  const sentence = end === -1 ? text : text.slice(0, end + 1);
  return sentence.length <= maxSummaryLength ? sentence : `${sentence.slice(0, maxSummaryLength - 1).trimEnd()}…`;
}

const maxParameters = 12;

/** `owner: string, labels?: array`: the required ones first. */
function signatureOf(schema: Tool["inputSchema"]): string {
  const { properties, required } = schema as { properties?: unknown; required?: unknown };
  if (!isRecord(properties)) return "";
  const needed = new Set<unknown>(Array.isArray(required) ? required : []);
  const names = Object.keys(properties);
  const ordered = [...names.filter((name) => needed.has(name)), ...names.filter((name) => !needed.has(name))];
  const shown = ordered.slice(0, maxParameters).map((name) => {
    const type = typeOf(properties[name]);
    return `${onOneLine(name, 60)}${needed.has(name) ? "" : "?"}${type === undefined ? "" : `: ${type}`}`;
  });
  return [...shown, ...(ordered.length > maxParameters ? ["…"] : [])].join(", ");
}

function typeOf(schema: unknown): string | undefined {
  if (!isRecord(schema)) return undefined;
  const { type, enum: values } = schema;
  if (Array.isArray(values)) {
    const text = values.map((value) => JSON.stringify(value)).join("|");
    if (text.length <= 60) return onOneLine(text, 60);
  }
  return typeof type === "string" ? onOneLine(type, 20) : undefined;
}

/** A server may send anything, and a line of the answer is one tool. */
function onOneLine(text: string, longest: number): string {
  return text.slice(0, longest).replaceAll(/\s+/g, " ");
}

/** The whole definition, without what is only for display. */
export function definitionText({ name, title, description, inputSchema, outputSchema, annotations }: Tool): string {
  return JSON.stringify({ name, title, description, inputSchema, outputSchema, annotations });
}
