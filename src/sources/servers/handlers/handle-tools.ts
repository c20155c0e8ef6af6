import { visibleText } from "../../../catalog/guard/visible-text.ts";
import type { Handled, HandlerContext } from "./handled.ts";
import type { ListedTool } from "./servers-control.ts";

const longestLine = 100;

/** `tools [server]`: what can be called, under the names it is called by. */
export async function handleTools({ control, prefix }: HandlerContext, source?: string): Promise<Handled> {
  const tools = await control.tools(source);
  const text = tools.length === 0 ? noTools(prefix, source) : renderTools(tools);
  return { ok: true, data: { tools }, text };
}

function renderTools(tools: readonly ListedTool[]): string {
  const width = tools.reduce((most, { name }) => Math.max(most, name.length), 0) + 2;
  return tools
    .map(({ name, title, description = title }) => {
      const [first = ""] = visibleText(description ?? "", 2000)
        .trim()
        .split("\n", 1);
      const short = first.length > longestLine ? `${first.slice(0, longestLine - 1)}…` : first;
      return short === "" ? name : `${name.padEnd(width)}— ${short}`;
    })
    .join("\n");
}

function noTools(prefix: string, source: string | undefined): string {
  const [of, see] = source === undefined ? ["", "servers"] : [` from ${source}`, `status ${source}`];
  return `There are no tools${of}. Why may be seen with: ${prefix} ${see}`;
}
