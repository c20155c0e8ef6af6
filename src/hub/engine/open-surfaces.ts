import type { Catalog } from "../../catalog/catalog.ts";
import type { ToolVectors } from "../../catalog/search/tool-vectors.ts";
import type { Config } from "../../core/config/config-schema.ts";
import type { Home } from "../../core/files/home.ts";
import type { Log } from "../../core/log.ts";
import { hashToken } from "../../core/secrets/crypto.ts";
import type { SurfaceSetting } from "../../doors/mcp/surface/choose-surface.ts";
import type { GivenSurface } from "../../doors/mcp/surface/surface-record.ts";
import { createSurfaces, type Surfaces } from "../../doors/mcp/surface/surfaces.ts";

export interface SurfaceParts {
  readonly catalog: Pick<Catalog, "tools">;
  readonly config: Pick<Config, "hub" | "catalog">;
  readonly home: Pick<Home, "file">;
  readonly log: Log;
  /** Calls the listener when the configuration was edited. */
  onEdit?(listener: (config: Config) => void): void;
  /** Names of tools that only the search surface lists, with these settings. */
  onlySearched?(hub: Config["hub"]): readonly string[];
  /** Called when a client gets another surface than before. */
  onGiven?(given: GivenSurface): void;
}

/** How the clients of a door get the tools of a catalog. What searches them is loaded with the first search. */
export function openSurfaces(parts: SurfaceParts, given?: SurfaceSetting): Surfaces {
  const { catalog, config, log } = parts;
  const surfaces = createSurfaces({
    setting: given ?? config.hub.surface,
    always: config.hub.always,
    onlySearched: parts.onlySearched?.(config.hub),
    log,
    ...(parts.onGiven && { onGiven: parts.onGiven }),
    async openSearch() {
      const { createToolSearch } = await import("../../catalog/search/tool-search.ts");
      return createToolSearch({ tools: () => catalog.tools(), vectors: await openVectors(parts) });
    },
  });
  parts.onEdit?.(({ hub }) =>
    surfaces.change({
      setting: given ?? hub.surface,
      always: hub.always,
      onlySearched: parts.onlySearched?.(hub),
    }),
  );
  return surfaces;
}

async function openVectors({ config, home, log }: SurfaceParts): Promise<ToolVectors | undefined> {
  const { embeddings: model } = config.catalog;
  if (model === undefined) return undefined;
  const { createToolVectors } = await import("../../catalog/search/tool-vectors.ts");
  // Vectors of another model can't be compared with these.
  const name = hashToken(`${model.url}\n${model.model}`).slice(0, 16);
  return createToolVectors({ model, path: home.file("embeddings", `${name}.bin`), log });
}
