import { randomBytes } from "node:crypto";
import { toFault } from "../fault.ts";
import { formatTraceparent, parseTraceparent, sampledFlag } from "../trace-context.ts";
import type { FinishedSpan } from "./otlp-json.ts";
import type { Sampler } from "./sampler.ts";
import { silentSpan } from "./telemetry.ts";
import type { AttributeValue, Span, SpanOptions } from "./telemetry.ts";

export interface SpanStarter {
  readonly sampler: Sampler;
  readonly now: () => number;
  readonly onEnd: (span: FinishedSpan) => void;
}

const mostAttributes = 64;

export function startSpan(starter: SpanStarter, name: string, options: SpanOptions): Span {
  const parent = parseTraceparent(options.parent);
  const traceId = parent?.traceId ?? randomId(16);
  const spanId = randomId(8);
  const sampled = starter.sampler(traceId, parent);
  const flags = ((parent?.flags ?? 0) & ~sampledFlag) | (sampled ? sampledFlag : 0);
  const traceparent = formatTraceparent({ traceId, spanId, flags });
  if (!sampled) return silentSpan(traceparent);

  const start = starter.now();
  const attributes = new Map<string, AttributeValue>(Object.entries(options.attributes ?? {}));
  let failure: string | undefined;
  let ended = false;
  return {
    traceparent,
    setAttribute(key, value) {
      if (attributes.size < mostAttributes || attributes.has(key)) attributes.set(key, value);
    },
    recordError(error) {
      const fault = toFault(error);
      attributes.set("error.type", fault.code);
      failure = fault.message;
    },
    end() {
      if (ended) return;
      ended = true;
      starter.onEnd({
        traceId,
        spanId,
        parentSpanId: parent?.spanId,
        flags,
        name,
        kind: options.kind ?? "internal",
        start,
        end: starter.now(),
        attributes: Object.fromEntries(attributes),
        failure,
      });
    },
  };
}

/** Never all zero: that would mean «no id» (W3C Trace Context §3.2.2.3). */
function randomId(bytes: number): string {
  for (;;) {
    const id = randomBytes(bytes);
    if (id.some((byte) => byte !== 0)) return id.toString("hex");
  }
}
