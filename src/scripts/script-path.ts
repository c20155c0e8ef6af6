import { serverOf } from "../catalog/search/server-of.ts";
import type { CatalogTool } from "../catalog/source.ts";
import type { View } from "../catalog/view.ts";
import { isRecord } from "../core/is-record.ts";

/** `files.read`, `files__read`, or with what a name can't have in a script replaced: `my_files.read_file`. */
export function findScriptTool(view: Pick<View, "find" | "tools">, path: string): CatalogTool | undefined {
  const dot = path.indexOf(".");
  const exact =
    view.find(path) ?? (dot === -1 ? undefined : view.find(`${path.slice(0, dot)}__${path.slice(dot + 1)}`));
  if (exact !== undefined) return exact;
  const wanted = path.replace("__", ".");
  const meant = view.tools().filter((tool) => scriptPath(tool) === wanted);
  return meant.length === 1 ? meant[0] : undefined;
}

/** How a script names a tool: `server.tool`, or `tool` if its name has no server in front. */
export function scriptPath(tool: CatalogTool): string {
  const { name } = tool.definition;
  const server = serverOf(tool);
  if (!name.startsWith(`${server}__`)) return asIdentifier(name);
  return `${asIdentifier(server)}.${asIdentifier(name.slice(server.length + 2))}`;
}

/** A script that calls the tool, with the arguments that it needs. */
export function exampleOf(tool: CatalogTool): string {
  const { properties, required } = tool.definition.inputSchema;
  const names = Array.isArray(required) ? required.filter((name) => typeof name === "string") : [];
  const types = isRecord(properties) ? properties : {};
  const args = names.map((name) => `${JSON.stringify(name)}: ${valueFor(types[name])}`).join(", ");
  return `const result = await tools.${scriptPath(tool)}({ ${args} });\nreturn result;`;
}

function valueFor(schema: unknown): string {
  const { type, enum: values } = isRecord(schema) ? schema : {};
  if (Array.isArray(values) && values.length > 0) return JSON.stringify(values[0]);
  if (type === "number" || type === "integer") return "1";
  if (type === "boolean") return "true";
  if (type === "array") return "[]";
  return type === "object" ? "{}" : '"…"';
}

const asIdentifier = (name: string): string => name.replaceAll(/[^\w$]/g, "_").replace(/^(?=\d)/, "_");
