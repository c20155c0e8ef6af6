import { randomBytes } from "node:crypto";
import type { Log } from "../../../core/log.ts";
import type { CallBus } from "../call/call-bus.ts";
import { createBulk } from "./bulk.ts";
import { subjectsOf } from "./bus-messages.ts";
import { openCallerSide } from "./caller-side.ts";
import { openHolderSide } from "./holder-side.ts";
import type { NatsLinks } from "./nats-connection.ts";

const largestTransfer = 64 * 1024 * 1024;
const mostWaiting = 512 * 1024 * 1024;

/**
 * Carries calls between the instances of a proxy. A holder's subscription is its presence: where nobody subscribes, the
 * server answers so at once. NATS may lose a message, so what is not accepted is sent again under the same id, and what
 * was accepted never is.
 */
export async function openNatsBus(links: NatsLinks, log: Log): Promise<CallBus & { readonly instance: string }> {
  // Never the same for two processes: a restarted instance must not answer for the one that died.
  const instance = randomBytes(9).toString("base64url");
  const bulk = createBulk(links, instance, { mostBytes: largestTransfer, mostWaiting });
  const parts = { links, instance, subjects: subjectsOf(links.prefix), bulk, log };
  const holders = await openHolderSide(parts);
  const callers = openCallerSide(parts);
  await links.main.flush();

  return {
    instance,
    isReliable: false,
    hold: (sessionId, holder) => holders.hold(sessionId, holder),
    send: (order, listener) => callers.send(order, listener),
    waitForHolder: (sessionId, withinMs, signal) => callers.waitForHolder(sessionId, withinMs, signal),
    async [Symbol.asyncDispose]() {
      callers.close();
      await holders.close();
      bulk.close();
    },
  };
}
