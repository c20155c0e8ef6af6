import type { CatalogTool } from "../../../catalog/source.ts";

const mostNamed = 3;

/** What to do about a name that no tool has: the tools that were probably meant, or how to find one. */
export function unknownToolHint(asked: string, tools: readonly CatalogTool[]): string {
  const meant = meantTools(asked, tools).slice(0, mostNamed);
  return meant.length === 0 ? "Use search_tools to find the tool's name." : `Did you mean ${meant.join(" or ")}?`;
}

/** Models leave out the server, put their client's prefix in front, or write `get_sum` for `get-sum`. */
function meantTools(asked: string, tools: readonly CatalogTool[]): readonly string[] {
  const word = lettersOf(asked.slice(0, 200));
  if (word === "") return [];
  return tools.flatMap(({ tool, definition: { name } }) => {
    const whole = lettersOf(name);
    // Behind a relay the server is part of its own name.
    const own = lettersOf(tool.name.split("__").at(-1)!);
    const isMeant = whole === word || own === word || (whole !== "" && word.endsWith(whole));
    return isMeant ? [name] : [];
  });
}

function lettersOf(name: string): string {
  return name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");
}
