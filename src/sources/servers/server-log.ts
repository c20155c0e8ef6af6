import type { Log } from "../../core/log.ts";
import type { KnownRedactor } from "../../core/secrets/redact-known.ts";
import { redactFields } from "../../core/secrets/redact.ts";
import { refillBucket, type TokenBucket } from "../../core/token-bucket.ts";
import { redactTexts } from "./server-secrets.ts";

/** In characters: a server may write much at its start, but not all day. That is 170 MB a day at the most. */
const budget = { size: 200_000, perMs: 2 };
const maxLineLength = 8192;
/** What a line costs besides its text: the time, the level, the name of the server. */
const lineCost = 100;
/** How long lines are dropped before one says how many. */
const reportAfterMs = 10_000;

type Fields = Record<string, unknown>;

/**
 * The log of one server: masks the secrets of its settings, and drops what is too much, since a server decides itself how
 * often something is said about it.
 */
export function createServerLog(log: Log, redact: KnownRedactor, now: () => number): Log {
  let bucket: TokenBucket = { tokens: budget.size, at: now() };
  let dropped = 0;
  return limited(log);

  function limited(inner: Log): Log {
    const say =
      (level: "debug" | "info" | "warn" | "error") =>
      (message: string, fields: Fields = {}): void => {
        bucket = refillBucket(bucket, budget, now());
        if (bucket.tokens < 1) return drop();
        const safe = redactTexts(redactFields(fields), redact) as Fields;
        const text = JSON.stringify(safe);
        bucket = { ...bucket, tokens: bucket.tokens - lineCost - Math.min(text.length, maxLineLength) };
        inner[level](redact(message), text.length > maxLineLength ? { cut: `${text.slice(0, maxLineLength)}…` } : safe);
      };
    return {
      debug: say("debug"),
      info: say("info"),
      warn: say("warn"),
      error: say("error"),
      with: (fields) => limited(inner.with(fields)),
    };
  }

  function drop(): void {
    if (dropped++ > 0) return;
    setTimeout(() => {
      log.warn("the server writes too much: lines of its log were dropped", { dropped });
      dropped = 0;
    }, reportAfterMs).unref();
  }
}

/** What a server says to its client. MCP has eight levels, this log four. */
export function logServerLine(log: Log, { level, data }: Readonly<Record<string, unknown>>): void {
  log[ownLevels.get(level) ?? "info"]("the server says", { data });
}

const ownLevels: ReadonlyMap<unknown, "debug" | "warn" | "error"> = new Map([
  ["debug", "debug"],
  ["warning", "warn"],
  ["error", "error"],
  ["critical", "error"],
  ["alert", "error"],
  ["emergency", "error"],
]);
