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
  readonly traceparent: string;
  readonly tracestate?: string;
};

export const sampledFlag = 0x01;

const longestHeader = 256;
/** What every participant must be able to pass on (§3.3.1.5). */
const longestState = 512;
/** In `_meta` the caller can send anything, also what would end a header. */
const headerText = /^[\x20-\x7e]+$/;
const traceparentPattern = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** Undefined if the header is not well-formed: it then counts as missing and a new trace begins (§3.2.2). */
export function parseTraceparent(header: string | undefined): TraceContext | undefined {
  if (header === undefined || header.length > longestHeader) return undefined;
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

/** Undefined without a valid `traceparent`; a `tracestate` means nothing without it. One that no header can hold is dropped. */
export function traceFields(traceparent: string | undefined, tracestate: string | undefined): TraceFields | undefined {
  if (traceparent === undefined || parseTraceparent(traceparent) === undefined || !headerText.test(traceparent))
    return undefined;
  if (tracestate === undefined || tracestate.length > longestState || !headerText.test(tracestate))
    return { traceparent };
  return { traceparent, tracestate };
}
