import { quoted } from "../../../core/quoted.ts";
import type { Tool } from "../../../mcp/tool.ts";

/** The tools as a list for a person, each with the arguments it takes. */
export function describeTools(tools: readonly Tool[], part: string): string {
  const wanted = part.trim().toLowerCase();
  const fitting = tools.filter(({ name }) => name.toLowerCase().includes(wanted));
  if (fitting.length > 0) return fitting.map(toolLine).join("\n");
  if (tools.length === 0) return "There are no tools here yet.";
  return `None of the ${tools.length} tools has ${quoted(wanted, 100)} in its name.`;
}

function toolLine({ name, description, inputSchema }: Tool): string {
  const { properties, required } = inputSchema;
  const needed: readonly unknown[] = Array.isArray(required) ? required : [];
  const names = typeof properties === "object" && properties !== null ? Object.keys(properties) : [];
  const args = names.map((each) => (needed.includes(each) ? each : `${each}?`)).join(", ");
  const first = description?.split("\n", 1)[0]?.slice(0, 200);
  return `${name}(${args})${first === undefined || first === "" ? "" : `: ${first}`}`;
}
