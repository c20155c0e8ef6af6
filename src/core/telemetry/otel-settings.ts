import { unescape } from "node:querystring";
import type { Env } from "../process/child-env.ts";
import { readSampler, type Sampler } from "./sampler.ts";
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
  /** Settings that can't be used, for the log. */
  readonly warnings: readonly string[];
}

/** The standard variables of the OpenTelemetry specification as plain data. Every invalid one becomes a warning. */
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

type Signal = "traces" | "metrics";

export interface ExporterSettings {
  readonly url: string;
  /** May contain API keys of the collector: never log them. */
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly gzip: boolean;
}

/** Undefined if this signal is off: because it is not enabled, or because its settings can't be used. */
function readExporter(env: Env, signal: Signal, warnings: string[]): ExporterSettings | undefined {
  const upper = signal.toUpperCase();
  /** The variable of this signal, else the one for all signals. */
  const setting = (name: string): string | undefined =>
    env[`OTEL_EXPORTER_OTLP_${upper}_${name}`] || env[`OTEL_EXPORTER_OTLP_${name}`] || undefined;

  const chosen = env[`OTEL_${upper}_EXPORTER`]?.trim() || (setting("ENDPOINT") === undefined ? "none" : "otlp");
  // Prometheus reads `/metrics`, which is always served.
  if (chosen === "none" || chosen === "prometheus") return undefined;
  if (!chosen.split(",").some((name) => name.trim() === "otlp")) {
    warnings.push(`OTEL_${upper}_EXPORTER can be «otlp» or «none», not «${chosen.slice(0, 40)}»: ${signal} stay off.`);
    return undefined;
  }
  if (setting("PROTOCOL") === "grpc") {
    warnings.push(`OTLP over gRPC is not supported: ${signal} stay off. Set OTEL_EXPORTER_OTLP_PROTOCOL=http/json.`);
    return undefined;
  }
  const address = endpointOf(env, signal);
  if (address === undefined) {
    warnings.push(`The OTLP endpoint for ${signal} is not an http or https address: ${signal} stay off.`);
    return undefined;
  }
  const headers = { ...credentialsOf(address), ...readHeaders(setting("HEADERS"), warnings) };
  address.username = "";
  address.password = "";
  return {
    url: address.href,
    headers,
    timeoutMs: readCount(env, timeoutName(env, upper), 10_000, warnings),
    gzip: setting("COMPRESSION") === "gzip",
  };
}

function timeoutName(env: Env, upper: string): string {
  const own = `OTEL_EXPORTER_OTLP_${upper}_TIMEOUT`;
  return env[own] ? own : "OTEL_EXPORTER_OTLP_TIMEOUT";
}

/** A signal's own endpoint is used as it is; to the common one the signal's path is added. */
function endpointOf(env: Env, signal: Signal): URL | undefined {
  const own = env[`OTEL_EXPORTER_OTLP_${signal.toUpperCase()}_ENDPOINT`];
  const url = URL.parse(own || env["OTEL_EXPORTER_OTLP_ENDPOINT"] || "http://localhost:4318");
  if (url?.protocol !== "http:" && url?.protocol !== "https:") return undefined;
  if (!own) url.pathname = `${url.pathname.replace(/\/+$/, "")}/v1/${signal}`;
  return url;
}

/** `fetch` refuses an address with a user in it; what it means is Basic authentication. */
function credentialsOf({ username, password }: URL): Record<string, string> {
  if (username === "" && password === "") return {};
  const pair = `${unescape(username)}:${unescape(password)}`;
  return { authorization: `Basic ${Buffer.from(pair).toString("base64")}` };
}

function readHeaders(text: string | undefined, warnings: string[]): Record<string, string> {
  const pairs = parsePairs(text ?? "");
  try {
    if (pairs !== undefined) return Object.fromEntries(new Headers(pairs));
  } catch {
    // A name or value that headers can't carry gets the same warning as an invalid list.
  }
  warnings.push("OTEL_EXPORTER_OTLP_HEADERS is not a list of name=value: no headers are sent.");
  return {};
}

/**
 * `name=value,name=value`, percent-encoded, as the OpenTelemetry variables hold it (the form of W3C Baggage without
 * properties). One bad part makes the whole undefined: the specification wants such a value discarded.
 */
function parsePairs(text: string): [string, string][] | undefined {
  const pairs: [string, string][] = [];
  for (const part of text.split(",")) {
    if (part.trim() === "") continue;
    const split = part.indexOf("=");
    if (split < 1) return undefined;
    try {
      pairs.push([decodeURIComponent(part.slice(0, split).trim()), decodeURIComponent(part.slice(split + 1).trim())]);
    } catch {
      return undefined;
    }
  }
  return pairs;
}

/** A whole number above zero from the environment. Anything else is a warning, and the fallback is used. */
function readCount(env: Env, name: string, fallback: number, warnings: string[]): number {
  const text = env[name]?.trim();
  if (!text) return fallback;
  const value = Number(text);
  if (Number.isSafeInteger(value) && value > 0 && value < 2 ** 31) return value;
  warnings.push(`${name} is not a whole number above zero: ${fallback} is used.`);
  return fallback;
}
