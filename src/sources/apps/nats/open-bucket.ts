import { type KV, Kvm } from "@nats-io/kv";
import { Fault, messageOf } from "../../../core/fault.ts";
import { type NatsLinks, untilElected } from "./nats-connection.ts";

/** Longer than any session may live without use: what no instance removes, the server does. */
const bucketTtlMs = 3 * 86_400_000;

/** A bucket of the key-value store, made if need be: with three copies in a cluster, one on a single server. */
export async function openBucket(links: NatsLinks, name: string): Promise<KV> {
  const manager = new Kvm(links.main);
  const bucket = `${links.prefix}-${name}`;
  const clustered = links.main.info?.cluster !== undefined;
  let reason: unknown;
  for (const replicas of clustered ? [3, 1] : [1]) {
    try {
      const opened = await untilElected(() => manager.create(bucket, { history: 1, ttl: bucketTtlMs, replicas }));
      if (clustered && replicas === 1)
        links.log.warn(`the bucket ${bucket} has one copy only: NATS has no three servers for it`, { error: reason });
      return opened;
    } catch (error) {
      reason = error;
    }
  }
  // It exists with other settings than these, which its owner may have chosen.
  const existing = await manager.open(bucket).catch(() => undefined);
  if (existing !== undefined && (await existing.status().catch(() => undefined)) !== undefined) return existing;
  throw new Fault("unavailable", `The bucket ${bucket} can't be opened in NATS: ${messageOf(reason)}`, {
    cause: reason,
  });
}
