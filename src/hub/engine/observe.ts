import { createCallMetrics, watchAuditLoss, watchTokens } from "../../core/telemetry/clawport-metrics.ts";
import { createMetrics } from "../../core/telemetry/metrics.ts";
import { openTelemetry } from "../../core/telemetry/open-telemetry.ts";
import { watchProcess } from "../../core/telemetry/process-metrics.ts";
import type { EngineParts } from "./engine-parts.ts";
import type { GuardedCatalog } from "./open-guard.ts";

/** Counts what an engine does, and exports traces if the environment asks for them. */
export async function observe({
  env,
  version,
  log,
  closers,
}: Pick<EngineParts, "env" | "version" | "log" | "closers">) {
  const metrics = createMetrics();
  const watching = watchProcess(metrics);
  closers.add("process metrics", () => watching[Symbol.dispose]());
  const telemetry = await openTelemetry({ env, version, metrics, log });
  closers.add("telemetry", () => telemetry.close());
  return {
    metrics,
    telemetry,
    callMetrics: createCallMetrics(metrics),
    watchCalls({ usage, auditLoss }: GuardedCatalog): void {
      watchTokens(metrics, () => usage.sinceStart());
      watchAuditLoss(metrics, () => auditLoss().lines);
    },
  };
}
