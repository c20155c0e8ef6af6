import type { Catalog } from "../catalog/catalog.ts";
import { createCatalog } from "../catalog/catalog.ts";
import type { Guard } from "../catalog/guard/guard.ts";
import { openGuard, type OpenGuardOptions } from "./open-guard.ts";

export interface GuardedCatalog {
  readonly catalog: Catalog;
  readonly guard: Guard;
}

/** An empty catalog and the guard before it. */
export function openGuardedCatalog(options: OpenGuardOptions): GuardedCatalog {
  const { config, log, closers } = options;
  const guard = openGuard(options);
  const catalog = createCatalog({ ...config.catalog, log });
  closers.add("catalog", () => catalog.close());
  return { catalog, guard };
}
