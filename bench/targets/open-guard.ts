import { openAudit } from "../../src/catalog/audit/audit.ts";
import { openApprovals } from "../../src/catalog/guard/approvals.ts";
import { createAskers } from "../../src/catalog/guard/askers.ts";
import { createGuard, type Guard } from "../../src/catalog/guard/guard.ts";
import { openPins } from "../../src/catalog/guard/pins.ts";
import type { Home } from "../../src/core/files/home.ts";
import { createCallMetrics } from "../../src/core/telemetry/clawport-metrics.ts";
import type { Metrics } from "../../src/core/telemetry/metrics.ts";

/** The guard as the hub has it: default policy, pins, the audit on disk, metrics. */
export function openGuard(home: Home, metrics: Metrics): Guard {
  return createGuard({
    policy: {},
    approvals: openApprovals({ file: home.file("guard", "approvals.json") }),
    pins: openPins({ folder: home.file("guard", "pins") }),
    askers: createAskers(),
    audit: openAudit({ file: home.file("audit", "calls.jsonl") }),
    metrics: createCallMetrics(metrics),
  });
}
