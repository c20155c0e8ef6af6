import type { TokenView } from "../../catalog/caller.ts";
import { Fault } from "../../core/fault.ts";
import { nearestName } from "../../core/text/nearest-name.ts";
import { quoted } from "../../core/text/peer-text.ts";
import { ensureMainToken, mainTokenPath, resetMainToken } from "../../doors/mcp/main-token.ts";
import { addNamedToken, listNamedTokens, removeNamedToken } from "../../doors/mcp/named-tokens.ts";
import type { SurfaceSetting } from "../../doors/mcp/surface/choose-surface.ts";
import type { FolderContext } from "./contexts.ts";
import type { Input } from "./input.ts";
import type { newToken } from "./verbs/settings.ts";

export interface TokenEntry {
  readonly name: string;
  /** The only source or sources it gives access to; null for everything. */
  readonly view: TokenView | null;
  /** Which surface its clients get; absent if that is left to the configuration. */
  readonly surface?: SurfaceSetting;
  /** It gives access to the metrics only. */
  readonly metrics?: true;
  /** In ISO 8601; null for the main token. */
  readonly created: string | null;
}

export async function listTokens(folder: FolderContext): Promise<readonly TokenEntry[]> {
  const named = Object.entries(await listNamedTokens(folder));
  return [
    { name: "main", view: null, created: null },
    ...named.map(([name, { view = null, surface, metrics, created }]) => ({
      name,
      view,
      ...(surface && { surface }),
      ...(metrics && { metrics }),
      created,
    })),
  ];
}

/** The token itself is stored as a hash, so this is the only time it can be read. */
export async function addToken(folder: FolderContext, { name, views = [], metrics, surface }: Input<typeof newToken>) {
  const [first, ...more] = [...new Set(views)].toSorted();
  const view = first === undefined || more.length === 0 ? first : ([first, ...more] as const);
  if (views.length > 0) {
    const known = await folder.views();
    for (const each of views) requireView(each, known);
  }
  const token = await addNamedToken(folder, name, { view, metrics, surface });
  return { name, view: view ?? null, token: token.reveal() };
}

export async function removeToken(folder: FolderContext, name: string): Promise<void> {
  await removeNamedToken(folder, name);
}

export async function resetToken(folder: FolderContext): Promise<{ readonly path: string }> {
  await resetMainToken(folder);
  return { path: mainTokenPath(folder) };
}

export async function revealMainToken(folder: FolderContext): Promise<{ readonly token: string }> {
  return { token: (await ensureMainToken(folder)).reveal() };
}

/** A token for an unknown source would give access to nothing, without a hint why. */
function requireView(view: string, views: readonly string[]): void {
  if (views.includes(view)) return;
  const nearest = nearestName(view, views);
  const hint = nearest === undefined ? "" : ` Did you mean ${quoted(nearest)}?`;
  const message = `There is no source ${quoted(view, 100)}.${hint} The sources are: ${views.join(", ")}.`;
  throw new Fault("usage", message);
}
