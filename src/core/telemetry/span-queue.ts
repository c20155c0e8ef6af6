import type { FinishedSpan } from "./otlp-json.ts";

export interface SpanQueueOptions {
  readonly delayMs: number;
  readonly queueLimit: number;
  readonly batchLimit: number;
  /** Resolves with whether they were taken. */
  readonly send: (spans: readonly FinishedSpan[]) => Promise<boolean>;
  readonly onDropped: (count: number) => void;
}

/** Holds finished spans for a moment and sends them together. When it is full, new ones are dropped and counted. */
export interface SpanQueue {
  add(span: FinishedSpan): void;
  /** Sends all that is here; resolves when nothing is left. */
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
