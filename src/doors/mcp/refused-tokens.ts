import { visibleText } from "../../core/text/peer-text.ts";
import type { RequestHeaders } from "../../core/http/request-headers.ts";
import type { Log } from "../../core/log.ts";
import { type BucketShape, msUntilToken, refillBucket } from "../../core/token-bucket.ts";

/** Requests that were refused because of their token, since the door was opened. */
export interface RefusedTokenCounts {
  readonly wrong: number;
  readonly missing: number;
  /** The latest with a wrong token. */
  readonly last?: { readonly at: string; readonly userAgent?: string | undefined } | undefined;
}

export interface RefusedTokens {
  note(kind: "wrong" | "missing", headers: RequestHeaders): void;
  counts(): RefusedTokenCounts;
}

const maxUserAgentLength = 120;
/** A client that tries again and again must not fill the log: three lines at once, then one every 30 seconds. */
const lineRate: BucketShape = { size: 3, perMs: 1 / 30_000 };

/** Counts and logs them, so that a client with an old token can be found. The token itself is never kept. */
export function createRefusedTokens(log: Log, now: () => number = Date.now): RefusedTokens {
  const counts = { wrong: 0, missing: 0 };
  const buckets = { wrong: { tokens: lineRate.size, at: now() }, missing: { tokens: lineRate.size, at: now() } };
  const unlogged = { wrong: 0, missing: 0 };
  let last: RefusedTokenCounts["last"];

  return {
    note(kind, headers) {
      counts[kind]++;
      const userAgent = userAgentOf(headers);
      if (kind === "wrong") last = { at: new Date(now()).toISOString(), userAgent };
      if (!mayLog(kind)) {
        unlogged[kind]++;
        return;
      }
      const more = unlogged[kind] === 0 ? {} : { notLogged: unlogged[kind] };
      unlogged[kind] = 0;
      if (kind === "wrong") log.warn("refused a client with a wrong token", { userAgent, ...more });
      else log.info("refused a client without a token", { userAgent, ...more });
    },
    counts: () => ({ ...counts, last }),
  };

  function mayLog(kind: "wrong" | "missing"): boolean {
    const { tokens, at } = refillBucket(buckets[kind], lineRate, now());
    const isEmpty = msUntilToken({ tokens, at }, lineRate) > 0;
    buckets[kind] = { tokens: isEmpty ? tokens : tokens - 1, at };
    return !isEmpty;
  }
}

/** A client that puts its credentials there, too, does not get them into the log. */
function userAgentOf({ "user-agent": agent, authorization }: RequestHeaders): string | undefined {
  if (typeof agent !== "string") return undefined;
  const words = typeof authorization === "string" ? authorization.split(/\s+/) : [];
  const hidden = words.filter((word) => word.length >= 8).reduce((text, word) => text.replaceAll(word, "…"), agent);
  return visibleText(hidden, maxUserAgentLength);
}
