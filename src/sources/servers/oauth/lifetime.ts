const longestMs = 10 * 365 * 24 * 3_600_000;

/**
 * How long something that was issued is good, from `expires_in`; nothing where that says nothing usable. A number beyond
 * all time would not be a date any more, and zero would have a token renewed before every request.
 */
export function lifetimeMs(seconds: unknown): number | undefined {
  const ms = typeof seconds === "string" || typeof seconds === "number" ? Number(seconds) * 1000 : Number.NaN;
  return ms > 0 ? Math.min(ms, longestMs) : undefined;
}
