import type { Log } from "../log.ts";
import type { Env } from "../process/child-env.ts";
import type { Metrics } from "./metrics.ts";
import { parseTraceparent } from "./trace-context.ts";

export type AttributeValue = string | number | boolean;

/** Masked by key and by shape before they leave the process; still, no secret belongs here. */
export type Attributes = Readonly<Record<string, AttributeValue>>;

export interface SpanOptions {
  /** `server` for what a door received, `client` for what a source asks of a peer. */
  readonly kind?: "server" | "client" | "internal";
  /** The `traceparent` of whoever caused this; without a valid one a new trace begins. */
  readonly parent?: string | undefined;
  readonly attributes?: Attributes;
}

/** A piece of work with a beginning and an end. */
export interface Span {
  /** What to pass on to whatever this work calls. */
  readonly traceparent: string | undefined;
  setAttribute(key: string, value: AttributeValue): void;
  /** Marks the span as failed, with the code of the fault. */
  recordError(error: unknown): void;
  /** Only the first call counts. */
  end(): void;
}

/** Where traces and metrics go, if anywhere. */
export interface Telemetry {
  startSpan(name: string, options?: SpanOptions): Span;
  /** Sends what is still here, within a few seconds, and stops. */
  close(): Promise<void>;
}

export interface TelemetryOptions {
  readonly env: Env;
  readonly version: string;
  readonly metrics: Metrics;
  readonly log: Log;
  readonly fetch?: typeof fetch;
  /** Milliseconds since 1970, with fractions. */
  readonly now?: () => number;
}

/** Nothing is recorded. A caller's trace is still passed on, so that one silent hop does not cut it. */
export const noTelemetry: Telemetry = {
  startSpan(_name, options) {
    const parent = options?.parent;
    if (parent === undefined || parseTraceparent(parent) === undefined) return silentSpan(undefined);
    return silentSpan(parent);
  },
  close: () => Promise.resolve(),
};

const doNothing = (): void => {};
const untracedSpan: Span = { traceparent: undefined, setAttribute: doNothing, recordError: doNothing, end: doNothing };

export function silentSpan(traceparent: string | undefined): Span {
  return traceparent === undefined ? untracedSpan : { ...untracedSpan, traceparent };
}
