import type { PolicyLimit } from "../../core/config/policy-config.ts";
import { type BucketShape, msUntilToken, refillBucket, type TokenBucket } from "../../core/token-bucket.ts";
import { type Caller, callerScopeKey, identitiesOf, originOf } from "../caller.ts";
import { matchesRule, type ToolFacts } from "./judge-call.ts";

export interface RateLimits {
  /** Takes one call from every limit that matches and returns 0; or takes nothing and returns the milliseconds to wait. */
  take(tool: LimitedTool, caller: Caller, now: number): number;
}

export interface LimitedTool extends ToolFacts {
  /** As its source calls it: a name in the catalog can change, and its calls would be counted anew. */
  readonly own?: string | undefined;
}

const maxBuckets = 10_000;

export function createRateLimits(limits: readonly PolicyLimit[]): RateLimits {
  const buckets = new Map<string, TokenBucket>();

  /** Evicts the bucket that was unused for longest: it is the fullest, so the least is lost. */
  function put(key: string, bucket: TokenBucket): void {
    buckets.delete(key);
    buckets.set(key, bucket);
    if (buckets.size > maxBuckets) buckets.delete(buckets.keys().next().value!);
  }

  return {
    take(tool, caller, now) {
      const identities = identitiesOf(caller);
      const found = limits
        .map((limit, index) => ({ limit, index }))
        .filter(({ limit }) => identities.some((each) => matchesRule(limit, tool, each)))
        .map(({ limit, index }) => {
          const key = keyOf(limit, index, tool, caller);
          const shape = shapeOf(limit);
          return { key, shape, bucket: refillBucket(buckets.get(key) ?? { tokens: shape.size, at: now }, shape, now) };
        });
      const wait = Math.max(0, ...found.map(({ bucket, shape }) => msUntilToken(bucket, shape)));
      const cost = wait > 0 ? 0 : 1;
      for (const { key, bucket } of found) put(key, { ...bucket, tokens: bucket.tokens - cost });
      return wait;
    },
  };
}

const shapeOf = ({ calls, seconds }: PolicyLimit): BucketShape => ({ size: calls, perMs: calls / (seconds * 1000) });

function keyOf({ per = "caller" }: PolicyLimit, index: number, tool: LimitedTool, caller: Caller): string {
  // Whoever acts for a caller uses up the caller's own calls.
  const who = per === "tool" ? "" : callerScopeKey(originOf(caller));
  const what = per === "caller" ? "" : JSON.stringify([tool.source, tool.own]);
  return `${index} ${who} ${what}`;
}

export function limitText(what: string, waitMs: number): string {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000));
  return `${what} exceeded a limit in policy.limits. Try again in ${seconds} s.`;
}
