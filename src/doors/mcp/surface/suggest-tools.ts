import type { CatalogTool } from "../../../catalog/source.ts";

const maxNamed = 3;

/** What to do about a name that no tool has: the tools that were probably meant, or how to find one. */
export function unknownToolHint(asked: string, tools: readonly CatalogTool[]): string {
  const meant = suggestTools(asked, tools).slice(0, maxNamed);
  return meant.length === 0 ? "Use search_tools to find the tool's name." : `Did you mean ${meant.join(" or ")}?`;
}

/** Models leave out the server, put their client's prefix in front, or write `get_sum` or `getSum` for `get-sum`. */
function suggestTools(asked: string, tools: readonly CatalogTool[]): readonly string[] {
  const words = wordsOf(asked.slice(0, 200));
  if (words === "") return [];
  return tools.flatMap(({ tool, definition: { name } }) => {
    const whole = wordsOf(name);
    // Behind a relay the server is part of its own name.
    const own = wordsOf(tool.name.split("__").at(-1)!);
    const isMeant = isSame(whole, words) || isSame(own, words) || words.endsWith(` ${whole}`);
    return isMeant ? [name] : [];
  });
}

function wordsOf(name: string): string {
  const found = name.toLowerCase().match(/[\p{L}\p{N}]+/gu);
  return found?.join(" ") ?? "";
}

function isSame(a: string, b: string): boolean {
  return a.replaceAll(" ", "") === b.replaceAll(" ", "");
}
