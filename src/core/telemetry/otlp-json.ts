import { redact } from "../secrets/redact.ts";
import type { HistogramFamily, MetricFamily, NumberFamily } from "./instruments.ts";
import type { Attributes } from "./telemetry.ts";

/** A span that has ended, with times in milliseconds since 1970. */
export interface FinishedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly flags: number;
  readonly name: string;
  readonly kind: "server" | "client" | "internal";
  readonly start: number;
  readonly end: number;
  readonly attributes: Attributes;
  /** The code of the recorded error, if any. */
  readonly failure: string | undefined;
}

export interface ServiceIdentity {
  readonly resource: Attributes;
  readonly version: string;
}

const spanKinds = { internal: 1, server: 2, client: 3 } as const;
const maxTextLength = 1024;

/** ExportTraceServiceRequest in the JSON encoding of OTLP 1.x: ids in hex, 64-bit numbers as text, enums as numbers. */
export function traceRequest(origin: ServiceIdentity, spans: readonly FinishedSpan[]): unknown {
  return {
    resourceSpans: [
      { resource: resourceOf(origin), scopeSpans: [{ scope: scopeOf(origin), spans: spans.map(encodeSpan) }] },
    ],
  };
}

/** ExportMetricsServiceRequest, cumulative since `start`. */
export function metricsRequest(
  origin: ServiceIdentity,
  families: readonly MetricFamily[],
  start: number,
  now: number,
): unknown {
  const times = { startTimeUnixNano: nanos(start), timeUnixNano: nanos(now) };
  const metrics = families.filter(({ series }) => series.length > 0).map((family) => encodeFamily(family, times));
  return { resourceMetrics: [{ resource: resourceOf(origin), scopeMetrics: [{ scope: scopeOf(origin), metrics }] }] };
}

function encodeSpan(span: FinishedSpan): unknown {
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    ...(span.parentSpanId === undefined ? {} : { parentSpanId: span.parentSpanId }),
    flags: span.flags,
    name: boundText(span.name),
    kind: spanKinds[span.kind],
    startTimeUnixNano: nanos(span.start),
    endTimeUnixNano: nanos(span.end),
    attributes: encodeAttributes(span.attributes),
    status: span.failure === undefined ? {} : { code: 2, message: safeText(span.failure) },
  };
}

type Times = { readonly startTimeUnixNano: string; readonly timeUnixNano: string };

function encodeFamily(family: MetricFamily, times: Times): unknown {
  const unit = /_seconds(_total)?$/.test(family.name) ? "s" : family.name.endsWith("_bytes") ? "By" : "1";
  const head = { name: family.name, description: family.help, unit };
  if (family.type === "histogram") {
    return { ...head, histogram: { aggregationTemporality: 2, dataPoints: histogramPoints(family, times) } };
  }
  const dataPoints = numberPoints(family, times);
  if (family.type === "gauge") return { ...head, gauge: { dataPoints } };
  return { ...head, sum: { aggregationTemporality: 2, isMonotonic: true, dataPoints } };
}

function numberPoints(family: NumberFamily, times: Times): unknown[] {
  return family.series.map(({ values, value }) => ({
    ...times,
    attributes: labelAttributes(family.labels, values),
    asDouble: doubleOf(value),
  }));
}

function histogramPoints(family: HistogramFamily, times: Times): unknown[] {
  return family.series.map(({ values, counts, sum }) => ({
    ...times,
    attributes: labelAttributes(family.labels, values),
    count: String(counts.reduce((total, count) => total + count, 0)),
    sum: doubleOf(sum),
    bucketCounts: counts.map(String),
    explicitBounds: family.bounds,
  }));
}

function labelAttributes(names: readonly string[], values: readonly string[]): unknown[] {
  return encodeAttributes(Object.fromEntries(names.map((name, index) => [name, values[index] ?? ""])));
}

function resourceOf({ resource }: ServiceIdentity): unknown {
  return { attributes: encodeAttributes(resource) };
}

function scopeOf({ version }: ServiceIdentity): unknown {
  return { name: "clawport", version };
}

/** Redacted here, the one place that everything passes on its way out. */
function encodeAttributes(attributes: Attributes): unknown[] {
  const safe = redact(attributes);
  if (typeof safe !== "object" || safe === null) return [];
  return Object.entries(safe).map(([key, value]: [string, unknown]) => ({ key, value: encodeValue(value) }));
}

function encodeValue(value: unknown): unknown {
  if (typeof value === "boolean") return { boolValue: value };
  if (typeof value !== "number") return { stringValue: boundText(String(value)) };
  return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: doubleOf(value) };
}

function safeText(text: string): string {
  return boundText(String(redact(text)));
}

function boundText(text: string): string {
  return (text.length > maxTextLength ? `${text.slice(0, maxTextLength)}…` : text).toWellFormed();
}

/** The JSON form of protobuf spells out numbers that JSON does not have. */
function doubleOf(value: number): number | string {
  if (Number.isFinite(value)) return value;
  return Number.isNaN(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity";
}

function nanos(ms: number): string {
  const whole = Math.trunc(ms);
  return String(BigInt(whole) * 1_000_000n + BigInt(Math.trunc((ms - whole) * 1e6)));
}
