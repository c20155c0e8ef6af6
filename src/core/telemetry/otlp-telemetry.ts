import { randomUUID } from "node:crypto";
import { type MetricSettings, type OtelSettings, readOtelSettings, type TraceSettings } from "./otel-settings.ts";
import { metricsRequest, type ServiceIdentity, traceRequest } from "./otlp-json.ts";
import { createOtlpSender } from "./otlp-sender.ts";
import { createSpanQueue, type SpanStarter, startSpan } from "./span.ts";
import { noTelemetry, type Telemetry, type TelemetryOptions } from "./telemetry.ts";

/** How long a closing process waits to send the rest to the collector. */
const closeMs = 3000;

/** OTLP over HTTP in its JSON encoding: why not the official packages is in docs/decisions/0002-telemetry.md. */
export function openOtlpTelemetry(options: TelemetryOptions): Telemetry {
  const settings = readOtelSettings(options.env);
  for (const warning of settings.warnings) options.log.warn(warning);
  const origin = serviceIdentity(settings, options.version);
  const stop = new AbortController();
  const traces = settings.traces && openTraces(settings.traces, origin, options, stop.signal);
  const metrics = settings.metrics && openMetricPush(settings.metrics, origin, options, stop.signal);
  if (traces === undefined && metrics === undefined) return noTelemetry;
  return {
    isTracing: traces !== undefined,
    startSpan: (name, spanOptions) => (traces ?? noTelemetry).startSpan(name, spanOptions),
    async close() {
      const timer = setTimeout(() => stop.abort(), closeMs);
      await Promise.all([traces?.flush(), metrics?.close()]);
      clearTimeout(timer);
      stop.abort();
    },
  };
}

type Traces = Pick<Telemetry, "startSpan"> & { flush(): Promise<void> };

function openTraces(
  settings: TraceSettings,
  origin: ServiceIdentity,
  options: TelemetryOptions,
  signal: AbortSignal,
): Traces {
  const send = createOtlpSender({ settings, fetch, ...options });
  const dropped = droppedCounter(options, "traces");
  const queue = createSpanQueue({
    ...settings,
    send: async (spans) => send(traceRequest(origin, spans), signal),
    onDropped: (count) => dropped.inc(count),
  });
  const now = options.now ?? preciseNow;
  const starter: SpanStarter = { sampler: settings.sampler, now, onEnd: (span) => queue.add(span) };
  return { startSpan: (name, given = {}) => startSpan(starter, name, given), flush: () => queue.flush() };
}

function openMetricPush(
  settings: MetricSettings,
  origin: ServiceIdentity,
  options: TelemetryOptions,
  signal: AbortSignal,
): { close(): Promise<void> } {
  const now = options.now ?? preciseNow;
  const send = createOtlpSender({ settings, fetch, ...options });
  const dropped = droppedCounter(options, "metrics");
  const start = now();
  let pushing: Promise<void> | undefined;

  async function push(): Promise<void> {
    try {
      const taken = await send(metricsRequest(origin, options.metrics.read(), start, now()), signal);
      if (!taken) dropped.inc();
    } catch (error) {
      options.log.warn("The metrics could not be read.", { error });
    }
  }

  const timer = setInterval(() => {
    pushing ??= push().finally(() => (pushing = undefined));
  }, settings.intervalMs);
  timer.unref();
  return {
    async close() {
      clearInterval(timer);
      await pushing;
      await push();
    },
  };
}

function droppedCounter({ metrics }: TelemetryOptions, signal: string): { inc(by?: number): void } {
  const spec = { name: "clawport_telemetry_dropped_total", help: "Spans and metric pushes lost.", labels: ["signal"] };
  return metrics.counter(spec).bind({ signal });
}

function serviceIdentity(settings: OtelSettings, version: string): ServiceIdentity {
  const own = {
    "service.version": version,
    "service.instance.id": randomUUID(),
    "telemetry.sdk.name": "clawport",
    "telemetry.sdk.language": "nodejs",
    "telemetry.sdk.version": version,
  };
  return { resource: { ...own, ...settings.resource }, version };
}

function preciseNow(): number {
  return performance.timeOrigin + performance.now();
}
