import type { Log } from "../log.ts";
import type { Env } from "../process/child-env.ts";
import type { Metrics } from "./metrics.ts";
import { parseTraceparent } from "./trace-context.ts";

export type AttributeValue = string | number | boolean;

/** Secrets in them are masked before they leave the process; still, don't put any here. */
export type Attributes = Readonly<Record<string, AttributeValue>>;

export interface SpanOptions {
  /** `server` for a request that a door received, `client` for one that a source sends. */
  readonly kind?: "server" | "client" | "internal";
  /** The `traceparent` of the cause; without a valid one a new trace begins. */
  readonly parent?: string | undefined;
  readonly attributes?: Attributes;
}

/** A piece of work with a beginning and an end. */
export interface Span {
  /** To be sent with the requests of this work. */
  readonly traceparent: string | undefined;
  setAttribute(key: string, value: AttributeValue): void;
  /** Marks the span as failed, with the code of the fault and without its message. */
  recordError(error: unknown): void;
  /** Marks the span as failed, for what was not thrown. `type` is one of few (`error.type`). */
  recordFailure(type: string): void;
  /** A part of this work. */
  startChild(name: string, options?: Omit<SpanOptions, "parent">): Span;
  /** Only the first call counts. */
  end(): void;
}

/** Where traces and metrics go, if anywhere. */
export interface Telemetry {
  /** False if no span is recorded, so that no call needs one. */
  readonly isTracing: boolean;
  startSpan(name: string, options?: SpanOptions): Span;
  /** Sends the rest, within a few seconds, and stops. */
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

/** Records nothing, but passes on the caller's trace, so that it is not cut here. */
export const noTelemetry: Telemetry = {
  isTracing: false,
  startSpan(_name, options) {
    const parent = options?.parent;
    if (parent === undefined || parseTraceparent(parent) === undefined) return silentSpan(undefined);
    return silentSpan(parent);
  },
  close: () => Promise.resolve(),
};

const doNothing = (): void => {};
const untracedSpan: Span = {
  traceparent: undefined,
  setAttribute: doNothing,
  recordError: doNothing,
  recordFailure: doNothing,
  startChild: () => untracedSpan,
  end: doNothing,
};

/** Records nothing, and neither do its parts. */
export function silentSpan(traceparent: string | undefined): Span {
  if (traceparent === undefined) return untracedSpan;
  const span: Span = { ...untracedSpan, traceparent, startChild: () => span };
  return span;
}
