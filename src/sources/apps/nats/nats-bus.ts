import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import type { Log } from "../../../core/log.ts";
import type { SharedUsage } from "../../../core/token-bucket.ts";
import { maxMessageBytes } from "../bridge/bridge-limits.ts";
import type { CallBus } from "../call/call-bus.ts";
import { createBulk } from "./bulk.ts";
import { type InstanceFacts, subjectsOf } from "./bus-messages.ts";
import { openCallerSide } from "./caller-side.ts";
import { openHolderSide } from "./holder-side.ts";
import type { NatsLinks } from "./nats-connection.ts";
import { openNatsUsage } from "./nats-usage.ts";

/** Whatever an app may send: its result crosses as text and as structured content, and both may hold all of it. */
const largestTransfer = 2 * maxMessageBytes + 16 * 1024 * 1024;
const maxWaiting = 512 * 1024 * 1024;

export interface NatsBus extends CallBus {
  readonly usage: SharedUsage;
  readonly instance: string;
  facts(): InstanceFacts;
}

/** Every instance that answers within the time. */
export async function findInstances(links: NatsLinks, withinMs = 500): Promise<readonly InstanceFacts[]> {
  const answers = await links.calls.requestMany(subjectsOf(links.prefix).who, "", withinMs);
  return answers.map((answer) => answer.json<InstanceFacts>()).sort((a, b) => a.startedAt - b.startedAt);
}

/**
 * Carries calls between the instances of a proxy. A holder's subscription is its presence: where nobody subscribes, the
 * server answers so at once. NATS may lose a message, so what is not accepted is sent again under the same id, and what
 * was accepted never is.
 */
export async function openNatsBus(links: NatsLinks, log: Log): Promise<NatsBus> {
  // Never the same for two processes: a restarted instance must not answer for the one that died.
  const instance = randomBytes(9).toString("base64url");
  const bulk = createBulk(links, instance, { maxBytes: largestTransfer, maxWaiting });
  const parts = { links, instance, subjects: subjectsOf(links.prefix), bulk, log };
  const holders = await openHolderSide(parts);
  const callers = openCallerSide(parts);
  const startedAt = Date.now();
  const facts = (): InstanceFacts => ({
    instance,
    host: hostname(),
    pid: process.pid,
    bridges: holders.bridges,
    sent: callers.size,
    served: holders.running,
    startedAt,
  });
  const { calls } = links;
  const asked = calls.listen(parts.subjects.who, (message) => calls.respond(message, JSON.stringify(facts())));
  const usage = openNatsUsage(links, instance);
  await links.main.flush();

  return {
    facts,
    usage,
    instance,
    isReliable: false,
    hold: (sessionId, holder) => holders.hold(sessionId, holder),
    send(order, listener) {
      const here = holders.holderHere(order.sessionId);
      return here === undefined ? callers.send(order, listener) : here.receive(order, listener);
    },
    expectHolder: (sessionId, withinMs) => holders.expectHolder(sessionId, withinMs),
    expectMove: (sessionId, withinMs) => holders.expectMove(sessionId, withinMs),
    moveExpected: (sessionId) => holders.moveExpected(sessionId),
    async waitForHolder(sessionId, withinMs, signal) {
      return holders.holderHere(sessionId) !== undefined || callers.waitForHolder(sessionId, withinMs, signal);
    },
    async [Symbol.asyncDispose]() {
      asked.unsubscribe();
      usage.close();
      callers.close();
      await holders.close();
      bulk.close();
    },
  };
}
