import { randomBytes } from "node:crypto";
import { toFault } from "../fault.ts";
import type { FinishedSpan } from "./otlp-json.ts";
import type { Sampler } from "./sampler.ts";
import { type AttributeValue, silentSpan, type Span, type SpanOptions } from "./telemetry.ts";
import { formatTraceparent, parseTraceparent, sampledFlag } from "./trace-context.ts";

export interface SpanStarter {
  readonly sampler: Sampler;
  readonly now: () => number;
  readonly onEnd: (span: FinishedSpan) => void;
}

const maxAttributes = 64;

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
  // Never the message: servers and schemas repeat arguments in theirs.
  const recordFailure = (type: string): void => {
    attributes.set("error.type", type);
    failure = type;
  };
  let ended = false;
  return {
    traceparent,
    setAttribute(key, value) {
      if (attributes.size < maxAttributes || attributes.has(key)) attributes.set(key, value);
    },
    recordError(error) {
      recordFailure(toFault(error).code);
    },
    recordFailure,
    startChild: (childName, given) => startSpan(starter, childName, { ...given, parent: traceparent }),
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

export interface SpanQueueOptions {
  readonly delayMs: number;
  readonly queueLimit: number;
  readonly batchLimit: number;
  /** Resolves with whether the collector accepted them. */
  readonly send: (spans: readonly FinishedSpan[]) => Promise<boolean>;
  readonly onDropped: (count: number) => void;
}

/** Collects finished spans for a moment and sends them together. When it is full, new ones are dropped and counted. */
export interface SpanQueue {
  add(span: FinishedSpan): void;
  /** Sends everything; resolves when nothing is left. */
  flush(): Promise<void>;
}

export function createSpanQueue(options: SpanQueueOptions): SpanQueue {
  const { delayMs, queueLimit, batchLimit, send, onDropped } = options;
  let waiting: FinishedSpan[] = [];
  let timer: NodeJS.Timeout | undefined;
  let sending: Promise<void> | undefined;

  async function sendAll(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, batchLimit);
      waiting = waiting.slice(batchLimit);
      const taken = await send(batch).catch(() => false);
      if (!taken) onDropped(batch.length);
    }
    sending = undefined;
  }

  function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    if (sending === undefined && waiting.length > 0) sending = sendAll();
    return sending ?? Promise.resolve();
  }

  return {
    add(span) {
      if (waiting.length >= queueLimit) return onDropped(1);
      waiting.push(span);
      if (waiting.length >= batchLimit) {
        void flush();
      } else if (timer === undefined && sending === undefined) {
        timer = setTimeout(() => void flush(), delayMs);
        timer.unref();
      }
    },
    flush,
  };
}
