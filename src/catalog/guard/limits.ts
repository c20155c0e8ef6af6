import type { PolicyLimit } from "../../core/config/policy-schema.ts";
import type { Caller } from "../caller.ts";
import { scopeKey } from "./caller-scope.ts";
import { fits } from "./match-rule.ts";
import type { ToolFacts } from "./match-rule.ts";
import { refill, waitFor } from "./token-bucket.ts";
import type { Bucket, BucketShape } from "./token-bucket.ts";

export interface Limits {
  /** Takes one call from every limit that fits; or takes nothing and says how many milliseconds to wait. */
  take(tool: ToolFacts, caller: Caller, now: number): number;
}

const mostBuckets = 10_000;

export function createLimits(limits: readonly PolicyLimit[]): Limits {
  const buckets = new Map<string, Bucket>();

  /** The one unused for longest goes first: it is the fullest, so the least is forgotten. */
  function put(key: string, bucket: Bucket): void {
    buckets.delete(key);
    buckets.set(key, bucket);
    if (buckets.size > mostBuckets) buckets.delete(buckets.keys().next().value!);
  }

  return {
    take(tool, caller, now) {
      const found = limits
        .map((limit, index) => ({ limit, index }))
        .filter(({ limit }) => fits(limit, tool, caller))
        .map(({ limit, index }) => {
          const key = keyOf(limit, index, tool, caller);
          const shape = shapeOf(limit);
          return { key, shape, bucket: refill(buckets.get(key) ?? { tokens: shape.size, at: now }, shape, now) };
        });
      const wait = Math.max(0, ...found.map(({ bucket, shape }) => waitFor(bucket, shape)));
      const cost = wait > 0 ? 0 : 1;
      for (const { key, bucket } of found) put(key, { ...bucket, tokens: bucket.tokens - cost });
      return wait;
    },
  };
}

const shapeOf = ({ calls, seconds }: PolicyLimit): BucketShape => ({ size: calls, perMs: calls / (seconds * 1000) });

function keyOf({ per = "caller" }: PolicyLimit, index: number, tool: ToolFacts, caller: Caller): string {
  const who = per === "tool" ? "" : scopeKey(caller);
  const what = per === "caller" ? "" : JSON.stringify([tool.source, tool.name]);
  return `${index} ${who} ${what}`;
}
