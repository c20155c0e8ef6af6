import { countText } from "../../core/text/count-text.ts";
import { estimateDefinition } from "../../core/estimate-tokens.ts";
import { numberText } from "../../core/text/number-text.ts";
import type { ListedTool } from "../control/queries/list-tools.ts";
import type { PresentationContext, Presented } from "./presentation.ts";

interface ToolCost {
  readonly tool: string;
  readonly server: string;
  readonly tokens: number;
}

interface ServerCost {
  readonly server: string;
  readonly tools: number;
  readonly tokens: number;
}

/** `tools --cost`: what the definitions take in the context of a model. */
export async function runToolCost({ control, table }: PresentationContext, source?: string): Promise<Presented> {
  const listed = await control.tools.list({ source });
  const tools: readonly ToolCost[] = listed
    .map((tool) => ({ tool: tool.name, server: tool.source, tokens: estimateDefinition(definitionOf(tool)) }))
    .toSorted((a, b) => b.tokens - a.tokens);
  const servers: readonly ServerCost[] = Array.from(
    Map.groupBy(tools, ({ server }) => server),
    ([server, own]) => ({ server, tools: own.length, tokens: sumOf(own) }),
  ).toSorted((a, b) => b.tokens - a.tokens);
  const data = { tokens: sumOf(tools), servers, tools };
  const total = `${numberText(data.tokens)} ${data.tokens === 1 ? "token" : "tokens"} for ${countText(tools.length, "tool")} of ${countText(servers.length, "server")}. Estimated from their length; models differ by some percent.`;
  if (tools.length === 0) return { ok: true, data, text: "No tools." };
  const text = [
    table?.(servers, [
      { title: "SERVER", text: ({ server }) => server },
      { title: "TOOLS", text: (row) => numberText(row.tools), align: "right" },
      { title: "TOKENS", text: ({ tokens }) => numberText(tokens), align: "right" },
    ]) ?? servers.map(({ server, tokens }) => `${server}: ${tokens}`).join("\n"),
    table?.(tools, [
      { title: "TOOL", text: ({ tool }) => tool },
      { title: "TOKENS", text: ({ tokens }) => numberText(tokens), align: "right" },
    ]) ?? tools.map(({ tool, tokens }) => `${tool}: ${tokens}`).join("\n"),
    total,
  ];
  return { ok: true, data, text: text.join("\n\n") };
}

/** As a client gets it. */
function definitionOf(listed: ListedTool): object {
  const { source: _, unchecked: __, judgesArguments: ___, ...tool } = listed;
  return tool;
}

function sumOf(rows: readonly { readonly tokens: number }[]): number {
  return rows.reduce((sum, { tokens }) => sum + tokens, 0);
}
