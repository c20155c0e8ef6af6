import { type Audit, openAudit } from "../../catalog/audit/audit.ts";
import { type Catalog, createCatalog } from "../../catalog/catalog.ts";
import { openApprovals } from "../../catalog/guard/approvals.ts";
import { type Asker, createAskers } from "../../catalog/guard/askers.ts";
import { createGuard, type Guard } from "../../catalog/guard/guard.ts";
import { openPins } from "../../catalog/guard/pins.ts";
import type { Config } from "../../core/config/config-schema.ts";
import type { Home } from "../../core/files/home.ts";
import type { Log } from "../../core/log.ts";
import type { CallMetrics } from "../../core/telemetry/clawport-metrics.ts";
import { hubFiles } from "../hub-files.ts";
import type { Closers } from "./engine-parts.ts";

export interface GuardedCatalog {
  readonly catalog: Catalog;
  readonly guard: Guard;
}

/** An empty catalog and its guard. */
export function openGuardedCatalog(options: OpenGuardOptions): GuardedCatalog {
  const { config, log, closers } = options;
  const guard = openGuard(options);
  const catalog = createCatalog({ ...config.catalog, log });
  closers.add("catalog", () => catalog.close());
  return { catalog, guard };
}

export interface OpenGuardOptions {
  readonly home: Home;
  readonly config: Config;
  readonly log: Log;
  readonly closers: Closers;
  readonly askers?: readonly Asker[] | undefined;
  readonly metrics?: CallMetrics | undefined;
}

/** A guard with the approvals, pins and audit of this state folder. */
export function openGuard({ home, config, log, closers, askers: some = [], metrics }: OpenGuardOptions): Guard {
  const { enabled, maxBytes, keep } = config.audit;
  const audit: Audit = enabled ? openAudit({ file: hubFiles.audit(home), maxBytes, keep, log }) : noAudit;
  closers.add("audit", () => audit.close());
  const pins = openPins({ file: hubFiles.pins(home), log });
  closers.add("pins", () => pins.close());
  const approvals = openApprovals({ file: hubFiles.approvals(home), log });
  const askers = createAskers();
  for (const asker of some) askers.add(asker);
  return createGuard({ policy: config.policy ?? {}, approvals, pins, askers, audit, metrics, log });
}

const noAudit: Audit = { record: () => {}, close: () => Promise.resolve() };
