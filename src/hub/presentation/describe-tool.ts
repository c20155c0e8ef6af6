import { nearestName } from "../../core/text/nearest-name.ts";
import { Fault } from "../../core/fault.ts";
import { quoted, sanitizeLine, visibleText } from "../../core/text/peer-text.ts";
import type { JsonSchema, ToolAnnotations } from "../../mcp/messages/tool.ts";
import type { ListedTool } from "../control/queries/list-tools.ts";
import { choicesOf, keysOf, propertyOf, shapesOf, typesOf } from "./argument-schema.ts";
import { exampleArguments, exampleWords } from "./example-call.ts";
import type { PresentationContext, Presented } from "./presentation.ts";

const maxDescriptionLength = 4000;
const maxSchemaLength = 20_000;
const maxArguments = 200;

/** Everything a caller needs to know of one tool: what it does, its arguments, its annotations, and an example call. */
export function describeTool(
  tool: ListedTool,
  { prefix, heading = asItIs }: Pick<PresentationContext, "prefix" | "heading">,
): Presented {
  const { name, title, description, source, inputSchema, outputSchema, annotations } = tool;
  const example = { arguments: exampleArguments(inputSchema), command: exampleCommand(tool, prefix) };
  const origin = [title ?? annotations?.title, `from ${source}`].filter((part) => part !== undefined).join(", ");
  const parts: readonly (readonly [string, string])[] = [
    ["", `${heading(visibleText(name, 200))} (${sanitizeLine(visibleText(origin, 200))})`],
    ["", visibleText(description?.trim() ?? "", maxDescriptionLength)],
    ["Arguments", argumentLines(inputSchema)],
    ["Annotations", annotationText(annotations)],
    ["Example", example.command],
    ["Input schema", schemaText(inputSchema)],
    ["Output schema", outputSchema === undefined ? "" : schemaText(outputSchema)],
  ];
  const text = parts
    .filter(([, body]) => body !== "")
    .map(([label, body]) => (label === "" ? body : `${heading(label)}\n${body.replaceAll(/^/gm, "  ")}`))
    .join("\n\n");
  return { ok: true, data: { tool, example }, text };
}

function asItIs(text: string): string {
  return text;
}

/** `call <tool> --help`. */
export async function explainTool(context: PresentationContext, name: string): Promise<Presented> {
  const tool = await context.control.tools.find({ name });
  if (tool !== undefined) return describeTool(tool, context);
  const { unknownTool } = await import("./call.ts");
  throw await unknownTool(context, name);
}

/** `tools <name>` where the name is neither a server's nor a tool's. */
export async function unknownName({ control, prefix }: PresentationContext, name: string): Promise<Fault> {
  const [tools, servers] = await Promise.all([control.tools.list(), control.servers.list()]);
  const names = [...servers.map((server) => server.name), ...tools.map((tool) => tool.name)];
  const nearest = names.find((each) => each.endsWith(`__${name}`)) ?? nearestName(name, names);
  const hint =
    nearest === undefined ? `Run \`${prefix} tools\` to list the tools.` : `Did you mean ${quoted(nearest)}?`;
  return new Fault("not-found", `There is no server or tool ${quoted(name, 100)}. ${hint}`);
}

function exampleCommand({ name, inputSchema }: ListedTool, prefix: string): string {
  return visibleText([prefix, "call", name, ...exampleWords(exampleArguments(inputSchema))].join(" "), 2000);
}

/** One line for each argument: its name, its type, whether it is required, and what it means. */
function argumentLines(schema: JsonSchema): string {
  const root = shapesOf(schema, schema);
  const names = keysOf(root).names.slice(0, maxArguments);
  if (names.length === 0) return "none";
  const required = new Set(root.flatMap(({ required: list }) => (Array.isArray(list) ? (list as unknown[]) : [])));
  const rows = names.map((name) => {
    const shapes = propertyOf(root, name, schema);
    const choices = choicesOf(shapes).map((choice) => JSON.stringify(choice));
    const type = choices.length > 0 ? choices.join(" | ") : [...typesOf(shapes)].join(" | ") || "any";
    const meaning = shapes.find(({ description }) => typeof description === "string")?.["description"];
    const kind = visibleText(type, 60) + (required.has(name) ? ", required" : "");
    return { name: visibleText(name, 60), kind, meaning: firstLine(typeof meaning === "string" ? meaning : "") };
  });
  const width = (of: "name" | "kind"): number => Math.min(36, Math.max(...rows.map((row) => row[of].length)));
  const [nameWidth, kindWidth] = [width("name"), width("kind")];
  return rows
    .map(({ name, kind, meaning }) => `${name.padEnd(nameWidth)}  ${kind.padEnd(kindWidth)}  ${meaning}`.trimEnd())
    .join("\n");
}

function firstLine(text: string): string {
  return visibleText(text.trim().split("\n", 1)[0] ?? "", 300);
}

const hints = [
  ["readOnlyHint", "read-only"],
  ["destructiveHint", "destructive"],
  ["idempotentHint", "idempotent"],
  ["openWorldHint", "reaches the outside world"],
] as const satisfies readonly (readonly [keyof ToolAnnotations, string])[];

/** What the author of the tool says about it. Clawport relies on it only for servers with `trusted: true`. */
function annotationText(annotations: ToolAnnotations | undefined): string {
  const said = hints.flatMap(([key, words]) => {
    const value = annotations?.[key];
    return typeof value === "boolean" ? [`${words}: ${value ? "yes" : "no"}`] : [];
  });
  return said.length === 0 ? "none" : said.join(", ");
}

function schemaText(schema: JsonSchema): string {
  const text = JSON.stringify(schema, undefined, 2);
  return text.length <= maxSchemaLength ? visibleText(text, maxSchemaLength) : "too long to show here: add --json";
}
