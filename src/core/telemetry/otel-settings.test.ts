import { expect, test } from "vitest";
import { readOtelSettings } from "./otel-settings.ts";

const endpoint = "OTEL_EXPORTER_OTLP_ENDPOINT";

test("the common endpoint gets the path of each signal", () => {
  const { traces, metrics, warnings } = readOtelSettings({ [endpoint]: "http://collector:4318/base/" });
  expect(traces?.url).toBe("http://collector:4318/base/v1/traces");
  expect(metrics?.url).toBe("http://collector:4318/base/v1/metrics");
  expect(warnings).toEqual([]);
});

test("a signal's own endpoint is taken as it is, and turns on that signal alone", () => {
  const { traces, metrics } = readOtelSettings({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "https://collector/here?x=1" });
  expect(traces?.url).toBe("https://collector/here?x=1");
  expect(metrics).toBeUndefined();
});

test("the exporter «otlp» alone goes to the standard port of this machine", () => {
  const { traces, metrics } = readOtelSettings({ OTEL_METRICS_EXPORTER: "otlp" });
  expect(metrics?.url).toBe("http://localhost:4318/v1/metrics");
  expect(traces).toBeUndefined();
});

test.each([
  ["none", []],
  ["prometheus", []],
  ["console", [expect.stringContaining("OTEL_METRICS_EXPORTER can be «otlp» or «none», not «console»")]],
])("the exporter «%s» leaves the signal off", (exporter, expected) => {
  const { metrics, traces, warnings } = readOtelSettings({ [endpoint]: "http://c", OTEL_METRICS_EXPORTER: exporter });
  expect(metrics).toBeUndefined();
  expect(traces).toBeDefined();
  expect(warnings).toEqual(expected);
});

test("headers, time limits and compression of the signal come before the common ones", () => {
  const { traces, metrics } = readOtelSettings({
    [endpoint]: "http://c",
    OTEL_EXPORTER_OTLP_HEADERS: "X-Team=common, x-more=a%20b",
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: "x-team=traces",
    OTEL_EXPORTER_OTLP_TIMEOUT: "700",
    OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: "300",
    OTEL_EXPORTER_OTLP_TRACES_COMPRESSION: "gzip",
  });
  expect(traces).toMatchObject({ headers: { "x-team": "traces" }, timeoutMs: 300, gzip: true });
  expect(metrics).toMatchObject({ headers: { "x-team": "common", "x-more": "a b" }, timeoutMs: 700, gzip: false });
});

test("a user in the address becomes Basic authentication and leaves the address", () => {
  const { traces } = readOtelSettings({ [endpoint]: "http://me:p%40ss@c" });
  expect(traces?.url).toBe("http://c/v1/traces");
  expect(traces?.headers).toEqual({ authorization: `Basic ${btoa("me:p@ss")}` });
});

test("the service name comes from its own variable, else from the resource, else it is clawport", () => {
  const resource = (env: Record<string, string>) => readOtelSettings(env).resource;
  expect(resource({})).toEqual({ "service.name": "clawport" });
  expect(resource({ OTEL_RESOURCE_ATTRIBUTES: "service.name=a,team=b%2Cc" })).toEqual({
    "service.name": "a",
    team: "b,c",
  });
  expect(resource({ OTEL_RESOURCE_ATTRIBUTES: "service.name=a", OTEL_SERVICE_NAME: "z" })).toEqual({
    "service.name": "z",
  });
});

test("every setting that can't be used is named at once, without its value", () => {
  const { traces, metrics, resource, warnings } = readOtelSettings({
    [endpoint]: "http://c",
    OTEL_EXPORTER_OTLP_METRICS_PROTOCOL: "grpc",
    OTEL_EXPORTER_OTLP_HEADERS: "hush-hush",
    OTEL_EXPORTER_OTLP_TIMEOUT: "soon",
    OTEL_RESOURCE_ATTRIBUTES: "a=%zz",
    OTEL_TRACES_SAMPLER: "sometimes",
    OTEL_BSP_MAX_QUEUE_SIZE: "-1",
  });
  expect(traces).toMatchObject({ headers: {}, timeoutMs: 10_000, queueLimit: 2048 });
  expect(metrics).toBeUndefined();
  expect(resource).toEqual({ "service.name": "clawport" });
  expect(warnings.map((warning) => /OTEL_\w+/.exec(warning)?.[0])).toEqual([
    "OTEL_EXPORTER_OTLP_HEADERS",
    "OTEL_EXPORTER_OTLP_TIMEOUT",
    "OTEL_EXPORTER_OTLP_PROTOCOL",
    "OTEL_RESOURCE_ATTRIBUTES",
    "OTEL_TRACES_SAMPLER",
    "OTEL_BSP_MAX_QUEUE_SIZE",
  ]);
  expect(warnings.join()).not.toContain("hush");
});

test.each(["ftp://c", "not an address", "http://"])("«%s» is not an endpoint, and nothing is sent", (address) => {
  const { traces, metrics, warnings } = readOtelSettings({ [endpoint]: address });
  expect(traces).toBeUndefined();
  expect(metrics).toBeUndefined();
  expect(warnings).toHaveLength(2);
});
