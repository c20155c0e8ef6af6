import { expect, test } from "vitest";
import { attributesOf, startCollector } from "../../../tests/support/otlp-collector.ts";
import { Fault } from "../fault.ts";
import { type Log, silentLog } from "../log.ts";
import { createMetrics } from "./metrics.ts";
import { openTelemetry } from "./open-telemetry.ts";
import { createOtlpSender } from "./otlp-sender.ts";
import { noTelemetry } from "./telemetry.ts";

function open(env: Record<string, string>, metrics = createMetrics(), log = silentLog) {
  return openTelemetry({ env, version: "1.2.3", metrics, log });
}

function keptLines(): { log: Log; lines: string[] } {
  const lines: string[] = [];
  const keep = (message: string, fields?: unknown) => void lines.push(`${message} ${JSON.stringify(fields ?? {})}`);
  const log: Log = { debug: keep, info: keep, warn: keep, error: keep, with: () => log };
  return { log, lines };
}

test.each([
  {},
  { OTEL_EXPORTER_OTLP_ENDPOINT: "" },
  { OTEL_EXPORTER_OTLP_ENDPOINT: "http://c", OTEL_SDK_DISABLED: "TRUE" },
])("with %o there is no telemetry at all", async (env) => {
  expect(await open(env)).toBe(noTelemetry);
});

test("without telemetry a caller's trace is passed on as it came, and a broken one is not", () => {
  const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  expect(noTelemetry.startSpan("call", { parent: traceparent }).traceparent).toBe(traceparent);
  expect(noTelemetry.startSpan("call", { parent: "nonsense" }).traceparent).toBeUndefined();
  expect(noTelemetry.startSpan("call").traceparent).toBeUndefined();
});

test("spans reach the collector with their ids, kinds, times, attributes and errors", async () => {
  await using collector = await startCollector();
  const telemetry = await open({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: "x-team=secret-key",
    OTEL_RESOURCE_ATTRIBUTES: "deployment=test",
    OTEL_METRICS_EXPORTER: "none",
  });
  const incoming = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  const outer = telemetry.startSpan("tools/call", { kind: "server", parent: incoming, attributes: { size: 12 } });
  const inner = telemetry.startSpan("ask", { kind: "client", parent: outer.traceparent });
  inner.recordError(new Fault("timeout", "No answer within 5 ms."));
  inner.end();
  outer.setAttribute("cached", true);
  outer.setAttribute("share", 0.5);
  outer.end();
  outer.end();
  await telemetry.close();

  expect(collector.received).toHaveLength(1);
  const { path, headers, body } = collector.received[0]!;
  expect(path).toBe("/v1/traces");
  expect(headers).toMatchObject({ "x-team": "secret-key", "content-type": "application/json" });
  const { resource, scopeSpans } = body.resourceSpans[0];
  expect(attributesOf(resource.attributes)).toMatchObject({
    "service.name": "clawport",
    "service.version": "1.2.3",
    deployment: "test",
  });
  expect(scopeSpans[0].scope).toEqual({ name: "clawport", version: "1.2.3" });
  const [client, server] = scopeSpans[0].spans;
  expect(server).toMatchObject({
    traceId: "4bf92f3577b34da6a3ce929d0e0e4736",
    parentSpanId: "00f067aa0ba902b7",
    name: "tools/call",
    kind: 2,
    status: {},
  });
  expect(attributesOf(server.attributes)).toEqual({ size: "12", cached: true, share: 0.5 });
  expect(client).toMatchObject({ traceId: server.traceId, parentSpanId: server.spanId, kind: 3 });
  expect(client.status).toEqual({ code: 2, message: "timeout" });
  expect(attributesOf(client.attributes)).toEqual({ "error.type": "timeout" });
  expect(BigInt(server.endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(server.startTimeUnixNano));
  expect(Math.abs(Number(BigInt(server.startTimeUnixNano) / 1_000_000n) - Date.now())).toBeLessThan(60_000);
});

test("secrets are masked in attributes, by key and by shape, and the message of an error is not sent", async () => {
  await using collector = await startCollector();
  const telemetry = await open({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: collector.url });
  const span = telemetry.startSpan("call", { attributes: { "api.token": "hush-1", url: "https://me:hush-2@host/" } });
  span.setAttribute("note", "authorization: Bearer hush-3-and-more");
  span.recordError(new Error("the argument hush-4 is too long"));
  span.end();
  await telemetry.close();

  const text = JSON.stringify(collector.received[0]!.body);
  expect(text).not.toContain("hush");
  expect(text).toContain("api.token");
});

test("what the caller did not sample is not sent, but its trace goes on through us", async () => {
  await using collector = await startCollector();
  const telemetry = await open({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: collector.url });
  const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
  const span = telemetry.startSpan("call", { parent: `00-${traceId}-00f067aa0ba902b7-00` });
  expect(span.traceparent).toMatch(new RegExp(`^00-${traceId}-(?!00f067aa0ba902b7)[0-9a-f]{16}-00$`));
  span.end();
  await telemetry.close();
  expect(collector.received).toEqual([]);
});

test("metrics reach the collector as sums, gauges and histograms, compressed when asked", async () => {
  await using collector = await startCollector();
  const metrics = createMetrics();
  metrics.counter({ name: "calls_total", help: "Calls.", labels: ["door"] }).inc({ door: "cli" }, 3);
  metrics.gauge({ name: "depth", help: "Depth." }).set({}, 2);
  const took = metrics.histogram({ name: "took_seconds", help: "Time.", bounds: [1, 10] }).bind({});
  for (const value of [0.5, 5, 50]) took.observe(value);
  const telemetry = await open(
    { OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: `${collector.url}/own`, OTEL_EXPORTER_OTLP_COMPRESSION: "gzip" },
    metrics,
  );
  await telemetry.close();

  const { path, headers, body } = collector.received[0]!;
  expect(path).toBe("/own");
  expect(headers["content-encoding"]).toBe("gzip");
  const sent: { name: string }[] = body.resourceMetrics[0].scopeMetrics[0].metrics;
  expect(sent.find(({ name }) => name === "calls_total")).toMatchObject({
    sum: {
      aggregationTemporality: 2,
      isMonotonic: true,
      dataPoints: [{ asDouble: 3, attributes: [{ key: "door", value: { stringValue: "cli" } }] }],
    },
  });
  expect(sent.find(({ name }) => name === "depth")).toMatchObject({ gauge: { dataPoints: [{ asDouble: 2 }] } });
  expect(sent.find(({ name }) => name === "took_seconds")).toMatchObject({
    unit: "s",
    histogram: {
      dataPoints: [{ count: "3", sum: 55.5, bucketCounts: ["1", "1", "1"], explicitBounds: [1, 10] }],
    },
  });
});

test("a full queue drops and counts what is new, and the rest is sent in batches", async () => {
  await using collector = await startCollector();
  const metrics = createMetrics();
  const telemetry = await open(
    {
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: collector.url,
      OTEL_BSP_MAX_QUEUE_SIZE: "5",
      OTEL_BSP_MAX_EXPORT_BATCH_SIZE: "3",
    },
    metrics,
  );
  for (let n = 0; n < 20; n++) telemetry.startSpan(`call ${n}`).end();
  await telemetry.close();

  const sizes = collector.received.map(({ body }) => body.resourceSpans[0].scopeSpans[0].spans.length);
  expect(sizes).toEqual([3, 3, 2]);
  expect(metrics.render()).toContain('clawport_telemetry_dropped_total{signal="traces"} 12\n');
});

test("a dead collector costs one warning and the data, never an error", async () => {
  const { log, lines } = keptLines();
  const { url } = await startCollector().then(async (collector) => {
    await collector[Symbol.asyncDispose]();
    return collector;
  });
  const settings = { url, headers: { "x-team": "hush" }, timeoutMs: 1000, gzip: false };
  const send = createOtlpSender({ settings, version: "1", fetch, log, firstWaitMs: 1 });
  const { signal } = new AbortController();
  expect(await send({}, signal)).toBe(false);
  expect(await send({}, signal)).toBe(false);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain("ECONNREFUSED");
  expect(lines[0]).not.toContain("hush");
});

test("a busy collector is asked again, and its recovery is logged", async () => {
  await using collector = await startCollector([503, 503, 503, 503, 429, 200], { "retry-after": "0" });
  const { log, lines } = keptLines();
  const settings = { url: collector.url, headers: {}, timeoutMs: 5000, gzip: false };
  const send = createOtlpSender({ settings, version: "1", fetch, log, firstWaitMs: 60_000 });
  const { signal } = new AbortController();

  expect(await send({ n: 1 }, signal)).toBe(false);
  expect(await send({ n: 2 }, signal)).toBe(true);
  expect(collector.received.map(({ body }) => body.n)).toEqual([1, 1, 1, 1, 2, 2]);
  expect(lines.map((line) => line.split(" {")[0])).toEqual([
    expect.stringContaining("does not accept data"),
    expect.stringContaining("answers again"),
  ]);
});

test("a refusal is final, and an abort ends the waiting", async () => {
  await using collector = await startCollector([400, 503]);
  const settings = { url: collector.url, headers: {}, timeoutMs: 5000, gzip: false };
  const stop = new AbortController();
  const watched: typeof fetch = async (...input) => {
    const answer = await fetch(...input);
    if (answer.status === 503) setTimeout(() => stop.abort(), 0);
    return answer;
  };
  const send = createOtlpSender({ settings, version: "1", fetch: watched, log: silentLog, firstWaitMs: 60_000 });
  expect(await send({ n: 1 }, stop.signal)).toBe(false);
  expect(await send({ n: 2 }, stop.signal)).toBe(false);
  expect(collector.received.map(({ body }) => body.n)).toEqual([1, 2]);
});

test("a collector for metrics only makes no call a traced one", async () => {
  await using collector = await startCollector();
  const telemetry = await open({ OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: collector.url });
  expect(telemetry.isTracing).toBe(false);
  await telemetry.close();
  expect(collector.spans()).toEqual([]);
});
