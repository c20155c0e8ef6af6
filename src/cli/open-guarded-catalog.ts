import type { Audit } from "../catalog/audit.ts";
import { openAudit } from "../catalog/audit.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { createCatalog } from "../catalog/catalog.ts";
import { openApprovals } from "../catalog/guard/approvals.ts";
import type { Asker } from "../catalog/guard/askers.ts";
import { createAskers } from "../catalog/guard/askers.ts";
import type { Guard } from "../catalog/guard/guard.ts";
import { createGuard } from "../catalog/guard/guard.ts";
import { openPins } from "../catalog/guard/pins.ts";
import type { Config } from "../core/config/schema.ts";
import type { Home } from "../core/home.ts";
import type { Log } from "../core/log.ts";
import type { CallMetrics } from "../core/metrics/call-metrics.ts";
import type { Closers } from "./closers.ts";
import { hubFiles } from "./hub-files.ts";

export interface GuardedCatalogOptions {
  readonly home: Home;
  readonly config: Config;
  readonly log: Log;
  readonly closers: Closers;
  readonly askers?: readonly Asker[] | undefined;
  readonly metrics?: CallMetrics | undefined;
}

export interface GuardedCatalog {
  readonly catalog: Catalog;
  readonly guard: Guard;
}

/** An empty catalog and the guard before it, with the answers, pins and audit of this home. */
export function openGuardedCatalog(options: GuardedCatalogOptions): GuardedCatalog {
  const { home, config, log, closers, metrics } = options;
  const audit: Audit = config.audit.enabled
    ? openAudit({ file: hubFiles.audit(home), maxBytes: config.audit.maxBytes, keep: config.audit.keep, log })
    : noAudit;
  closers.add("audit", () => audit.close());
  const pins = openPins({ file: hubFiles.pins(home), log });
  closers.add("pins", () => pins.close());
  const approvals = openApprovals({ file: hubFiles.approvals(home), log });
  const askers = createAskers();
  for (const asker of options.askers ?? []) askers.add(asker);
  const guard = createGuard({ policy: config.policy ?? {}, approvals, pins, askers, audit, metrics, log });
  const catalog = createCatalog({ ...config.catalog, log });
  closers.add("catalog", () => catalog.close());
  return { catalog, guard };
}

const noAudit: Audit = { record: () => {}, close: () => Promise.resolve() };
