import { gzipSync } from "node:zlib";
import type { Log } from "../log.ts";
import { backoffDelays, sleep } from "../wait.ts";
import type { ExporterSettings } from "./otel-settings.ts";

/** Sends one request to the collector. False if it was given up and is lost. */
export type OtlpSender = (request: unknown, signal: AbortSignal) => Promise<boolean>;

export interface SenderOptions {
  readonly settings: ExporterSettings;
  readonly version: string;
  readonly fetch: typeof fetch;
  readonly log: Log;
  readonly firstWaitMs?: number;
}

const attempts = 4;
const maxWaitMs = 30_000;
const retriable = new Set([429, 502, 503, 504]);

export function createOtlpSender({ settings, version, fetch, log, firstWaitMs = 1000 }: SenderOptions): OtlpSender {
  const { url, timeoutMs, gzip } = settings;
  const headers = {
    ...settings.headers,
    "content-type": "application/json",
    "user-agent": `clawport/${version}`,
    ...(gzip ? { "content-encoding": "gzip" } : {}),
  };
  let failing = false;

  async function post(body: string | Buffer<ArrayBuffer>, signal: AbortSignal): Promise<Outcome> {
    try {
      // A redirect would send the API key to another address.
      const timeout = AbortSignal.timeout(timeoutMs);
      const answer = await fetch(url, {
        method: "POST",
        headers,
        body,
        redirect: "error",
        signal: AbortSignal.any([signal, timeout]),
      });
      await answer.body?.cancel();
      if (answer.ok) return { done: true };
      const retry = retriable.has(answer.status);
      return { done: false, why: `HTTP ${answer.status}`, retry, waitMs: retryAfter(answer.headers) };
    } catch (error) {
      return { done: false, why: reasonOf(error), retry: true, waitMs: undefined };
    }
  }

  /** One line when sending begins to fail and one when it works again: a dead collector must not fill the log. */
  function report(outcome: Outcome): void {
    if (outcome.done && failing) log.info("The telemetry collector answers again.", { url });
    if (!outcome.done && !failing) {
      log.warn("The telemetry collector does not accept data. Check OTEL_EXPORTER_OTLP_ENDPOINT.", {
        url,
        reason: outcome.why,
      });
    }
    failing = !outcome.done;
  }

  return async (request, signal) => {
    const text = JSON.stringify(request);
    const body = gzip ? gzipSync(text) : text;
    const waits = backoffDelays({ firstMs: firstWaitMs, maxMs: maxWaitMs, jitter: 0.5 });
    for (let attempt = 1; ; attempt++) {
      const outcome = await post(body, signal);
      if (outcome.done || !outcome.retry || attempt === attempts || signal.aborted) {
        if (!signal.aborted) report(outcome);
        return outcome.done;
      }
      const waited = await sleep(outcome.waitMs ?? waits.next().value, signal).then(
        () => true,
        () => false,
      );
      if (!waited) return false;
    }
  };
}

type Outcome =
  | { readonly done: true }
  | { readonly done: false; readonly why: string; readonly retry: boolean; readonly waitMs: number | undefined };

function retryAfter(headers: Headers): number | undefined {
  const seconds = Number(headers.get("retry-after") ?? NaN);
  return seconds >= 0 ? Math.min(seconds * 1000, maxWaitMs) : undefined;
}

/** The code of the system's error behind `fetch failed`, which says nothing by itself. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (!(cause instanceof Error)) return "unknown";
  return "code" in cause && typeof cause.code === "string" ? cause.code : cause.name;
}
