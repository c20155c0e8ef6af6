import type { Env } from "../process/child-env.ts";
import { sampledFlag, type TraceContext } from "./trace-context.ts";

/** Whether a new span of this trace is recorded. */
export type Sampler = (traceId: string, parent: TraceContext | undefined) => boolean;

/** Reads `OTEL_TRACES_SAMPLER` and its argument. An unknown one is a warning, and `parentbased_always_on` is used. */
export function readSampler(env: Env, warnings: string[]): Sampler {
  const name = env["OTEL_TRACES_SAMPLER"]?.trim() || "parentbased_always_on";
  const root = roots[name.replace(/^parentbased_/, "")]?.(readRatio(env, name, warnings));
  if (root === undefined) {
    warnings.push(`OTEL_TRACES_SAMPLER=${name.slice(0, 40)} is not known: every new trace is recorded.`);
    return followParent(() => true);
  }
  return name.startsWith("parentbased_") ? followParent(root) : root;
}

const roots: Readonly<Record<string, (ratio: number) => Sampler>> = {
  always_on: () => () => true,
  always_off: () => () => false,
  traceidratio: sampleRatio,
};

function followParent(root: Sampler): Sampler {
  return (traceId, parent) => (parent === undefined ? root(traceId, parent) : (parent.flags & sampledFlag) !== 0);
}

/**
 * The last 56 bits of a trace id are its random part: comparing them with a threshold makes every process with the same
 * ratio choose the same traces. The upper 52 of them fit a number without rounding.
 */
function sampleRatio(ratio: number): Sampler {
  const threshold = (1 - ratio) * 2 ** 52;
  return (traceId) => Number.parseInt(traceId.slice(-14, -1), 16) >= threshold;
}

function readRatio(env: Env, name: string, warnings: string[]): number {
  const text = env["OTEL_TRACES_SAMPLER_ARG"]?.trim();
  if (!text || !name.endsWith("traceidratio")) return 1;
  const ratio = Number(text);
  if (ratio >= 0 && ratio <= 1) return ratio;
  warnings.push("OTEL_TRACES_SAMPLER_ARG is not a number from 0 to 1: every trace is recorded.");
  return 1;
}
