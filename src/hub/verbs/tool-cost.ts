import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { countText } from "../../core/count-text.ts";
import { estimateTokens } from "../../core/estimate-tokens.ts";
import { numberText } from "../../core/number-text.ts";
import type { ListedTool } from "../control/hub-control.ts";
import type { VerbContext, VerbResult } from "./verb.ts";

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

/** `tools --cost`: what the definitions take in the context of a model, counted as GPT-4o and later do (o200k). */
export async function runToolCost({ control, table }: VerbContext, source?: string): Promise<VerbResult> {
  const listed = await control.tools.list(source);
  const tools: readonly ToolCost[] = listed
    .map((tool) => ({ tool: tool.name, server: tool.source, tokens: tokensOf(definitionOf(tool)) }))
    .toSorted((a, b) => b.tokens - a.tokens);
  const servers: readonly ServerCost[] = Array.from(
    Map.groupBy(tools, ({ server }) => server),
    ([server, own]) => ({ server, tools: own.length, tokens: sumOf(own) }),
  ).toSorted((a, b) => b.tokens - a.tokens);
  const data = { tokenizer: "o200k_base", tokens: sumOf(tools), servers, tools };
  const total = `${numberText(data.tokens)} ${data.tokens === 1 ? "token" : "tokens"} for ${countText(tools.length, "tool")} of ${countText(servers.length, "server")}. Counted with the tokenizer o200k; other models differ by some percent, and so do the estimates in \`usage\` and in the console.`;
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
function definitionOf(listed: ListedTool): string {
  const { source: _, unchecked: __, judgesArguments: ___, ...tool } = listed;
  return JSON.stringify(tool);
}

/** A longer definition is estimated. */
const longestCounted = 2_000_000;
/** The tokenizer takes the square of the length of a word, and a server may send one without end. */
const longWord = /[\p{L}\p{M}]{300}|[^\s\p{L}\p{N}]{300}/gu;
const longSpace = /\s{300}/gu;
/** Text of a server may look like a control token; it is text. */
const asText = { disallowedSpecial: new Set<string>() };

export function tokensOf(text: string): number {
  if (text.length > longestCounted) return estimateTokens(text);
  return countTokens(text.replaceAll(longSpace, "$&x").replaceAll(longWord, "$&\n"), asText);
}

function sumOf(rows: readonly { readonly tokens: number }[]): number {
  return rows.reduce((sum, { tokens }) => sum + tokens, 0);
}
