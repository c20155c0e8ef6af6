import { createHash } from "node:crypto";
import type { InvokeAnswer, InvokeRequest } from "./run-invoke.ts";

const rememberedMs = 5 * 60_000;
const maxRemembered = 64;
const largestRemembered = 256 * 1024;

/**
 * Makes a command that the gateway sends twice under one key run once: the second gets the answer of the first. Failures
 * are not kept, since the gateway repeats what failed before it began.
 */
export function createAnsweredInvokes(clock: () => number = Date.now) {
  const known = new Map<string, { readonly answer: Promise<InvokeAnswer>; readonly until: number }>();

  return function once(request: InvokeRequest, run: () => Promise<InvokeAnswer>): Promise<InvokeAnswer> {
    const { idempotencyKey, command, paramsJSON } = request;
    if (idempotencyKey === undefined) return run();
    const key = createHash("sha256")
      .update(JSON.stringify([idempotencyKey, command, paramsJSON]))
      .digest("hex");
    const before = known.get(key);
    if (before !== undefined && before.until > clock()) return before.answer;
    const answer = run();
    known.delete(key);
    known.set(key, { answer, until: clock() + rememberedMs });
    for (const oldest of known.keys()) {
      if (known.size <= maxRemembered) break;
      known.delete(oldest);
    }
    void forgetUnlessKept(key, answer);
    return answer;
  };

  async function forgetUnlessKept(key: string, answer: Promise<InvokeAnswer>): Promise<void> {
    const given = await answer;
    if (!given.ok || given.payloadJSON.length > largestRemembered) known.delete(key);
  }
}
