import { noTelemetry } from "./telemetry.ts";
import type { Telemetry, TelemetryOptions } from "./telemetry.ts";

const enablingVariables = [
  "OTEL_EXPORTER_OTLP_ENDPOINT",
  "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
  "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT",
  "OTEL_TRACES_EXPORTER",
  "OTEL_METRICS_EXPORTER",
];

/** Whether the environment asks for it. */
export function isTelemetryWanted(env: TelemetryOptions["env"]): boolean {
  if (env["OTEL_SDK_DISABLED"]?.trim().toLowerCase() === "true") return false;
  // An empty variable counts as unset (OpenTelemetry specification, «Environment variables»).
  return enablingVariables.some((name) => env[name]);
}

/**
 * OpenTelemetry as the standard `OTEL_*` variables ask for it. Nothing of it is loaded while none is set, and a wrong
 * setting is a warning in the log, never a reason not to start.
 */
export async function openTelemetry(options: TelemetryOptions): Promise<Telemetry> {
  if (!isTelemetryWanted(options.env)) return noTelemetry;
  const { openOtlpTelemetry } = await import("./otlp-telemetry.ts");
  return openOtlpTelemetry(options);
}
