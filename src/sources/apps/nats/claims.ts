import { Fault } from "../../../core/fault.ts";
import type { Claim } from "./bus-messages.ts";
import type { NatsLinks } from "./nats-connection.ts";
import { type BucketEntry, openBucket } from "./open-bucket.ts";

/** Who holds which bridge. Only for takeovers: whether someone holds one is seen from the subscription. */
export interface Claims {
  /** Every take has a higher epoch than the one before it, on whatever instance. */
  take(sessionId: string): Promise<{ readonly epoch: number; readonly previous: string | undefined }>;
  read(sessionId: string): Promise<Claim | undefined>;
  /** Announces that some instance is about to take the session. */
  announce(sessionId: string, withinMs: number): Promise<void>;
  /** Marks a claim as about to be given up. Does nothing if another instance has it. */
  markMoving(sessionId: string, withinMs: number): Promise<void>;
}

const maxTries = 20;
/** From the claim to the subscription: a call in between waits instead of failing. */
const arrivalMs = 2000;

export async function openClaims(links: NatsLinks, instance: string): Promise<Claims> {
  const bucket = await openBucket(links, "holders");

  return {
    async take(sessionId) {
      for (let tries = 0; tries < maxTries; tries++) {
        const found = await bucket.get(sessionId);
        const before = claimIn(found);
        // Above every epoch that was counted, since the one before it can't be known.
        const last = before?.epoch ?? (found?.isRefused === true ? Date.now() : 0);
        const claim: Claim = { instance, epoch: last + 1, movingUntil: Date.now() + arrivalMs };
        if (await write(sessionId, claim, found))
          return { epoch: claim.epoch, previous: before?.instance || undefined };
      }
      throw new Fault("busy", "Too many bridges are connecting to this session at once. Try again in a moment.");
    },
    async announce(sessionId, withinMs) {
      const found = await bucket.get(sessionId);
      const before = claimIn(found) ?? { instance: "", epoch: 0 };
      // Refused if an instance has taken it meanwhile, which announces it as well.
      await write(sessionId, { ...before, movingUntil: Date.now() + withinMs }, found);
    },
    async markMoving(sessionId, withinMs) {
      const found = await bucket.get(sessionId);
      const claim = claimIn(found);
      if (claim?.instance !== instance) return;
      // Refused if another instance has taken over meanwhile, which is what the mark announces.
      await write(sessionId, { ...claim, movingUntil: Date.now() + withinMs }, found);
    },
    read: async (sessionId) => claimIn(await bucket.get(sessionId)),
  };

  function write(sessionId: string, claim: Claim, found: BucketEntry | undefined): Promise<boolean> {
    return bucket.replace(sessionId, JSON.stringify(claim), found?.revision ?? 0);
  }
}

function claimIn(found: BucketEntry | undefined): Claim | undefined {
  return found?.value === undefined ? undefined : (JSON.parse(found.value) as Claim);
}
