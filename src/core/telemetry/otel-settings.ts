import type { Env, ExporterSettings } from "./exporter-settings.ts";
import { readExporter } from "./exporter-settings.ts";
import { parsePairs } from "./parse-pairs.ts";
import { readCount } from "./read-count.ts";
import { readSampler } from "./sampler.ts";
import type { Sampler } from "./sampler.ts";
import type { Attributes } from "./telemetry.ts";

export interface TraceSettings extends ExporterSettings {
  readonly sampler: Sampler;
  readonly delayMs: number;
  readonly queueLimit: number;
  readonly batchLimit: number;
}

export interface MetricSettings extends ExporterSettings {
  readonly intervalMs: number;
}

export interface OtelSettings {
  readonly resource: Attributes;
  readonly traces: TraceSettings | undefined;
  readonly metrics: MetricSettings | undefined;
  /** What was set but can't be honoured, for the log. */
  readonly warnings: readonly string[];
}

/** The standard variables of the OpenTelemetry specification as plain data. Whatever is wrong becomes a warning. */
export function readOtelSettings(env: Env): OtelSettings {
  const warnings: string[] = [];
  const number = (name: string, fallback: number): number => readCount(env, name, fallback, warnings);
  const traces = readExporter(env, "traces", warnings);
  const metrics = readExporter(env, "metrics", warnings);
  return {
    resource: readResource(env, warnings),
    traces: traces && {
      ...traces,
      sampler: readSampler(env, warnings),
      delayMs: number("OTEL_BSP_SCHEDULE_DELAY", 5000),
      queueLimit: number("OTEL_BSP_MAX_QUEUE_SIZE", 2048),
      batchLimit: number("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", 512),
    },
    metrics: metrics && { ...metrics, intervalMs: number("OTEL_METRIC_EXPORT_INTERVAL", 60_000) },
    warnings,
  };
}

function readResource(env: Env, warnings: string[]): Attributes {
  const text = env["OTEL_RESOURCE_ATTRIBUTES"] ?? "";
  const pairs = parsePairs(text);
  if (pairs === undefined) warnings.push("OTEL_RESOURCE_ATTRIBUTES is not a list of name=value and is ignored.");
  const given = Object.fromEntries(pairs ?? []);
  const name = env["OTEL_SERVICE_NAME"] || given["service.name"] || "clawport";
  return { ...given, "service.name": name };
}
