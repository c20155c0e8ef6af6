import { unescape } from "node:querystring";
import { parsePairs } from "./parse-pairs.ts";
import { readCount } from "./read-count.ts";

export type Env = Readonly<Record<string, string | undefined>>;
type Signal = "traces" | "metrics";

export interface ExporterSettings {
  readonly url: string;
  /** May hold keys of the receiving service: never written anywhere. */
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly gzip: boolean;
}

/** Undefined when this signal is off, be it because nobody asked for it or because what was asked for can't be done. */
export function readExporter(env: Env, signal: Signal, warnings: string[]): ExporterSettings | undefined {
  const upper = signal.toUpperCase();
  /** The variable of this signal, else the one for all signals. */
  const setting = (name: string): string | undefined =>
    env[`OTEL_EXPORTER_OTLP_${upper}_${name}`] || env[`OTEL_EXPORTER_OTLP_${name}`] || undefined;

  const chosen = env[`OTEL_${upper}_EXPORTER`]?.trim() || (setting("ENDPOINT") === undefined ? "none" : "otlp");
  // Prometheus reads `/metrics`, which is always there.
  if (chosen === "none" || chosen === "prometheus") return undefined;
  if (!chosen.split(",").some((name) => name.trim() === "otlp")) {
    warnings.push(
      `OTEL_${upper}_EXPORTER knows «otlp» and «none» here, not «${chosen.slice(0, 40)}»: ${signal} stay off.`,
    );
    return undefined;
  }
  if (setting("PROTOCOL") === "grpc") {
    warnings.push(`OTLP over gRPC is not spoken: set OTEL_EXPORTER_OTLP_PROTOCOL=http/json; ${signal} stay off.`);
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
    // A name or value that no header can hold: the same warning as for what is no list at all.
  }
  warnings.push("OTEL_EXPORTER_OTLP_HEADERS is not a list of name=value: no headers are sent.");
  return {};
}
