import type { KV } from "@nats-io/kv";
import { Fault } from "../../../core/fault.ts";
import type { Claim } from "./bus-messages.ts";
import type { NatsLinks } from "./nats-connection.ts";
import { openBucket } from "./open-bucket.ts";

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

const mostTries = 20;
/** From the claim to the subscription: a call in between waits instead of failing. */
const arrivalMs = 2000;

export async function openClaims(links: NatsLinks, instance: string): Promise<Claims> {
  const bucket: KV = await openBucket(links, "holders");

  return {
    async take(sessionId) {
      for (let tries = 0; tries < mostTries; tries++) {
        const found = await bucket.get(sessionId);
        const before = found?.operation === "PUT" ? found.json<Claim>() : undefined;
        const claim: Claim = { instance, epoch: (before?.epoch ?? 0) + 1, movingUntil: Date.now() + arrivalMs };
        try {
          if (found === null) await bucket.create(sessionId, JSON.stringify(claim));
          else await bucket.update(sessionId, JSON.stringify(claim), found.revision);
          return { epoch: claim.epoch, previous: before?.instance || undefined };
        } catch (error) {
          if (links.main.isClosed()) throw error;
        }
      }
      throw new Fault("busy", "Too many bridges are connecting to this session at once. Try again in a moment.");
    },
    async announce(sessionId, withinMs) {
      const found = await bucket.get(sessionId);
      const before = found?.operation === "PUT" ? found.json<Claim>() : undefined;
      const claim: Claim = { ...(before ?? { instance: "", epoch: 0 }), movingUntil: Date.now() + withinMs };
      // Refused if an instance has taken it meanwhile, which announces it as well.
      await (
        found === null
          ? bucket.create(sessionId, JSON.stringify(claim))
          : bucket.update(sessionId, JSON.stringify(claim), found.revision)
      ).catch(() => {});
    },
    async markMoving(sessionId, withinMs) {
      const found = await bucket.get(sessionId);
      const claim = found?.operation === "PUT" ? found.json<Claim>() : undefined;
      if (claim?.instance !== instance) return;
      const marked: Claim = { ...claim, movingUntil: Date.now() + withinMs };
      // Refused if another instance has taken over meanwhile, which is what the mark announces.
      await bucket.update(sessionId, JSON.stringify(marked), found!.revision).catch(() => {});
    },
    async read(sessionId) {
      const found = await bucket.get(sessionId);
      return found?.operation === "PUT" ? found.json<Claim>() : undefined;
    },
  };
}
