/** What `Retry-After` asks for, in milliseconds from now: seconds or a date (RFC 9110 § 10.2.3). */
export function retryAfterMs(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined;
  if (/^\d{1,6}$/.test(value)) return Number(value) * 1000;
  // All three forms of a date begin with the day of the week; `Date.parse` would take "-5" for one.
  const date = /^[A-Z][a-z]/.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
