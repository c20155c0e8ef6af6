/** Which trace a call belongs to (W3C Trace Context, level 1). */
export interface TraceContext {
  /** 32 hexadecimal digits, not all zero. */
  readonly traceId: string;
  /** 16 hexadecimal digits, not all zero: the span that caused this one. */
  readonly spanId: string;
  readonly flags: number;
}

/** A trace as a request carries it to the next server: in HTTP headers and in `_meta`, by the same names. */
export type TraceFields = Readonly<Record<string, string>> & {
  readonly traceparent?: string;
  readonly tracestate?: string;
  readonly baggage?: string;
};

export const sampledFlag = 0x01;

const maxHeaderLength = 256;
/** What every participant must be able to pass on (§3.3.1.5). */
const maxStateLength = 512;
/** What W3C Baggage asks every participant to pass on; its first edition allowed this many entries. */
const maxBaggageBytes = 8192;
const maxBaggageEntries = 180;
/** In `_meta` the caller can send anything, also what would end a header. */
const headerText = /^[\x20-\x7e]+$/;
const traceparentPattern = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** Undefined if the header is not well-formed: it then counts as missing and a new trace begins (§3.2.2). */
export function parseTraceparent(header: string | undefined): TraceContext | undefined {
  if (header === undefined || header.length > maxHeaderLength) return undefined;
  const [, version, traceId, spanId, flags, rest] = traceparentPattern.exec(header) ?? [];
  if (version === undefined || traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  // Version ff is forbidden; 00 ends after the flags, only later versions may have more fields (§3.2.4).
  if (version === "ff" || (version === "00" && rest !== undefined)) return undefined;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, spanId, flags: Number.parseInt(flags, 16) };
}

export function formatTraceparent({ traceId, spanId, flags }: TraceContext): string {
  return `00-${traceId}-${spanId}-${(flags & 0xff).toString(16).padStart(2, "0")}`;
}

interface CallerTrace {
  readonly traceparent?: string | undefined;
  readonly tracestate?: string | undefined;
  readonly baggage?: string | undefined;
}

/**
 * Undefined if there is nothing to pass on. A `tracestate` means nothing without a valid `traceparent`, `baggage` needs
 * none. What no header can hold is dropped.
 */
export function traceFields({ traceparent, tracestate, baggage }: CallerTrace): TraceFields | undefined {
  const carried = baggage !== undefined && isBaggage(baggage) ? { baggage } : undefined;
  if (traceparent === undefined || parseTraceparent(traceparent) === undefined || !headerText.test(traceparent))
    return carried;
  if (tracestate === undefined || tracestate.length > maxStateLength || !headerText.test(tracestate))
    return { traceparent, ...carried };
  return { traceparent, tracestate, ...carried };
}

function isBaggage(text: string): boolean {
  return text.length <= maxBaggageBytes && headerText.test(text) && text.split(",").length <= maxBaggageEntries;
}
