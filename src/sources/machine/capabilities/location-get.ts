import type { MachineConfig } from "../../../core/config/machine-config.ts";
import { isFault } from "../../../core/fault.ts";
import { available, type Capability, CapabilityFault } from "../capability.ts";
import { type Accuracy, askGeoClue, type Fix, probeGeoClue } from "../locate.ts";
import type { Machine } from "../machine.ts";

export interface LocationGetOptions extends Pick<Machine, "env" | "platform"> {
  /** Read at each call. */
  readonly settings: Pick<MachineConfig, "location">;
  readonly clock?: () => number;
}

/** A fix this exact counts as precise. */
const preciseMeters = 100;

export function locationGet({ env, platform, settings, clock = Date.now }: LocationGetOptions): Capability {
  let last: { readonly fix: Fix; readonly accuracy: Accuracy } | undefined;
  return {
    name: "location.get",
    title: "Where this computer is",
    description: "Returns the position of this computer.",
    risk: "sensitive-read",
    consent: "ask",
    input: {
      type: "object",
      properties: {
        timeoutMs: { type: "integer", minimum: 1000, maximum: 60_000, default: 10_000 },
        maxAgeMs: {
          type: "integer",
          minimum: 0,
          maximum: 86_400_000,
          default: 15_000,
          description: "A known position this old will do.",
        },
        desiredAccuracy: { type: "string", enum: ["coarse", "balanced", "precise"], default: "balanced" },
        locationTimeout: { type: "integer", minimum: 1000, maximum: 60_000, description: "The same as `timeoutMs`." },
        maxAge: { type: "integer", minimum: 0, maximum: 86_400_000, description: "The same as `maxAgeMs`." },
        accuracy: {
          type: "string",
          enum: ["default", "high"],
          description: "`high` is the same as `desiredAccuracy: precise`.",
        },
      },
      additionalProperties: false,
    },
    output: {
      type: "object",
      properties: {
        lat: { type: "number", minimum: -90, maximum: 90 },
        lon: { type: "number", minimum: -180, maximum: 180 },
        accuracyMeters: { type: "number" },
        altitudeMeters: { type: "number" },
        speedMps: { type: "number" },
        headingDeg: { type: "number" },
        timestamp: { type: "string", description: "ISO 8601" },
        isPrecise: { type: "boolean" },
        source: { type: "string", enum: ["gps", "wifi", "cell", "static", "unknown"] },
      },
      required: ["lat", "lon", "accuracyMeters", "timestamp", "isPrecise", "source"],
    },
    probe() {
      if (settings.location.static !== undefined) return available;
      if (platform === "linux") return probeGeoClue(env);
      return { ok: false, reason: "no location service is known on this system", fix: "set `machine.location.static`" };
    },
    async run(args, { signal, progress }) {
      const { timeoutMs = args["locationTimeout"] ?? 10_000, maxAgeMs = args["maxAge"] ?? 15_000 } = args;
      const accuracy = (args["desiredAccuracy"] ?? (args["accuracy"] === "high" ? "precise" : "balanced")) as Accuracy;
      const { static: fixed } = settings.location;
      if (fixed !== undefined)
        return answer({ ...fixed, timestamp: new Date(clock()).toISOString(), source: "static" });
      const isFresh = last !== undefined && clock() - Date.parse(last.fix.timestamp) <= Number(maxAgeMs);
      if (last?.accuracy === accuracy && isFresh) return answer(last.fix);
      progress({ progress: 0, message: "Waiting for a position." });
      try {
        last = { fix: await askGeoClue({ accuracy, timeoutMs: Number(timeoutMs), signal }, env), accuracy };
      } catch (error) {
        if (signal.aborted) throw error;
        if (isFault(error, "timeout"))
          throw new CapabilityFault("LOCATION_TIMEOUT", "No position was found in time.", {
            code: "timeout",
            cause: error,
          });
        throw new CapabilityFault("LOCATION_UNAVAILABLE", "The location service gave no position.", { cause: error });
      }
      return answer(last.fix);
    },
  };
}

function answer(fix: Fix) {
  return { payload: { ...fix, isPrecise: fix.accuracyMeters <= preciseMeters } };
}
