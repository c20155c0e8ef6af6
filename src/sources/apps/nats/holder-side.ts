import type { Msg, Subscription } from "@nats-io/transport-node";
import { parseJson } from "../../../core/json.ts";
import { messageOf } from "../../../core/fault.ts";
import type { BridgeHolder, CallHandle, CallListener, CallOrder, CallOutcome } from "../call/call-bus.ts";
import { lostOutcome, noHolderOutcome } from "../call/call-bus.ts";
import { largestInline } from "./bulk.ts";
import type { ControlMessage, OrderMessage, ReplyMessage } from "./bus-messages.ts";
import type { BusParts } from "./caller-side.ts";
import { openClaims } from "./claims.ts";
import { createStallGuard } from "./stall-guard.ts";

/** The side of the bus that has the app's socket. */
export interface HolderSide {
  hold(sessionId: string, holder: BridgeHolder): Promise<() => void>;
  expectHolder(sessionId: string, withinMs: number): Promise<void>;
  expectMove(sessionId: string, withinMs: number): Promise<void>;
  moveExpected(sessionId: string): Promise<number>;
  /** The holder of a session whose bridge is at this very instance: a call to it needs no network. */
  holderHere(sessionId: string): BridgeHolder | undefined;
  readonly bridges: number;
  /** How many calls run here for other instances. */
  readonly running: number;
  close(): Promise<void>;
}

interface Held {
  readonly holder: BridgeHolder;
  readonly epoch: number;
  subscription: Subscription | undefined;
  isReleased: boolean;
}

/** A sending that this instance runs or ran. */
interface Served {
  handle: CallHandle | undefined;
  /** The last message, for a caller that missed it. */
  last: string | undefined;
}

type WholeOrder = Extract<OrderMessage, { readonly order: unknown }>;

const evictMs = 300;
/** Longer than a claim may take. */
const claimMs = 10_000;
/** Clocks of machines differ: no caller waits longer than this for a bridge that moves. */
const maxMoveMs = 30_000;
/** How many outcomes are kept for callers that missed them, and for how long. */
const maxKept = 2000;
const keepMs = 30_000;

export async function openHolderSide({ links, instance, subjects, bulk, log }: BusParts): Promise<HolderSide> {
  const { main, calls } = links;
  const claims = await openClaims(links, instance);
  const stalls = createStallGuard();
  const held = new Map<string, Held>();
  const served = new Map<string, Served>();
  /** The epoch of each new holder that asked this instance to leave in the last seconds. */
  const evictions = new Map<string, number>();
  let generation = 1;

  const subscriptions = [
    calls.listen(subjects.ping(instance), (message) => calls.respond(message, String(generation))),
    calls.listen(subjects.evict(instance), evictFor),
    calls.listen(subjects.control(instance), obey),
    calls.listen(subjects.controlAll, obey),
  ];
  links.onReconnect(() => {
    generation++;
    void checkClaims();
  });

  return {
    async hold(sessionId, holder) {
      const { epoch, previous } = await claims.take(sessionId);
      // An eviction may overtake the answer to the claim, which is handled a moment after it has arrived.
      if ((evictions.get(sessionId) ?? 0) > epoch) {
        holder.evict();
        return () => {};
      }
      const before = held.get(sessionId);
      const own: Held = { holder, epoch, subscription: undefined, isReleased: false };
      if (before !== undefined && before.epoch > epoch) {
        holder.evict();
        return () => {};
      }
      held.set(sessionId, own);
      if (before !== undefined) leave(before);
      if (previous !== undefined && previous !== instance) await askToLeave(previous, sessionId, epoch);
      if (held.get(sessionId) === own) {
        own.subscription = calls.listen(
          subjects.call(sessionId),
          (message) => receive(message, sessionId, own),
          "holders",
        );
        await main.flush();
      }
      return () => {
        // Calls that are already on their way here learn at once that there is no holder.
        own.isReleased = true;
        own.subscription?.drain().catch(() => {});
        if (held.get(sessionId) === own) held.delete(sessionId);
      };
    },
    expectHolder: (sessionId, withinMs) => claims.announce(sessionId, withinMs),
    expectMove: (sessionId, withinMs) => claims.markMoving(sessionId, withinMs),
    async moveExpected(sessionId) {
      const claim = await claims.read(sessionId).catch(() => undefined);
      return Math.min(maxMoveMs, Math.max(0, (claim?.movingUntil ?? 0) - Date.now()));
    },
    holderHere(sessionId) {
      const own = held.get(sessionId);
      return own?.subscription === undefined || own.isReleased ? undefined : own.holder;
    },
    get bridges() {
      return held.size;
    },
    get running() {
      return served.values().reduce((sum, { handle }) => sum + (handle === undefined ? 0 : 1), 0);
    },
    async close() {
      for (const one of held.values()) leave(one);
      held.clear();
      for (const subscription of subscriptions) subscription.unsubscribe();
      stalls.close();
      if (!main.isClosed()) await main.flush().catch(() => {});
    },
  };

  function leave({ holder, subscription }: Held): void {
    subscription?.unsubscribe();
    holder.evict();
  }

  async function askToLeave(previous: string, sessionId: string, epoch: number): Promise<void> {
    // No answer means that it is gone, or stopped: its later claim fails, and it leaves by itself.
    await calls.request(subjects.evict(previous), JSON.stringify({ sessionId, epoch }), evictMs).catch(() => {});
  }

  function evictFor(message: Msg): void {
    const { sessionId, epoch } = message.json<{ sessionId: string; epoch: number }>();
    evictions.set(sessionId, Math.max(epoch, evictions.get(sessionId) ?? 0));
    setTimeout(() => evictions.delete(sessionId), claimMs).unref();
    const own = held.get(sessionId);
    if (own !== undefined && own.epoch < epoch) {
      held.delete(sessionId);
      leave(own);
    }
    calls.respond(message, "");
  }

  /** After a lost connection another instance may have taken over without our hearing of it. */
  async function checkClaims(): Promise<void> {
    for (const [sessionId, own] of held) {
      const claim = await claims.read(sessionId).catch(() => undefined);
      if (claim === undefined || claim.epoch <= own.epoch || held.get(sessionId) !== own) continue;
      held.delete(sessionId);
      leave(own);
    }
  }

  function receive(message: Msg, sessionId: string, own: Held): void {
    const sending = message.reply;
    if (sending === undefined) return;
    if (own.isReleased) return reply(sending, { kind: "settled", outcome: noHolderOutcome });
    const content = message.json<OrderMessage>();
    if ("probe" in content) return calls.respond(message, JSON.stringify({ kind: "here" } satisfies ReplyMessage));
    // What piled up while this process was stopped was sent again, maybe to another holder, and must not run here as well.
    if (stalls.hasJustStalled()) return reply(sending, { kind: "skipped" });
    if ("order" in content) return run(content, sending, sessionId, own);
    bulk
      .read(content.bulk)
      .then((data) => run(parseJson(data.toString("utf8")) as WholeOrder, sending, sessionId, own))
      .catch((error: unknown) => log.warn("a large call was lost between instances", { error: messageOf(error) }));
  }

  function run(content: WholeOrder, sending: string, sessionId: string, own: Held): void {
    const order: CallOrder = { ...content.order, sessionId, deadline: Date.now() + content.leftMs };
    const entry: Served = { handle: undefined, last: undefined };
    served.set(sending, entry);
    const listener: CallListener = {
      accepted: () => reply(sending, { kind: "accepted", instance }),
      news: (news) => reply(sending, { kind: "news", news }),
      settled(outcome) {
        entry.last = encodeOutcome(outcome);
        calls.publish(sending, entry.last);
        entry.handle = undefined;
        setTimeout(() => served.delete(sending), keepMs).unref();
        if (served.size > maxKept) dropOldest();
      },
    };
    entry.handle = own.holder.receive(order, listener);
    if (entry.last !== undefined) entry.handle = undefined;
  }

  function reply(sending: string, message: ReplyMessage): void {
    calls.publish(sending, JSON.stringify(message));
  }

  function encodeOutcome(outcome: CallOutcome): string {
    const text = JSON.stringify({ kind: "settled", outcome } satisfies ReplyMessage);
    if (text.length < largestInline / 3 || Buffer.byteLength(text) <= largestInline) return text;
    try {
      const offer = bulk.offer(Buffer.from(JSON.stringify(outcome)));
      return JSON.stringify({ kind: "bulk", bulk: offer } satisfies ReplyMessage);
    } catch (error) {
      const isError = true;
      const content = [
        { type: "text" as const, text: `The tool ran, but its result can't be passed on: ${messageOf(error)}` },
      ];
      return JSON.stringify({
        kind: "settled",
        outcome: { kind: "done", result: { content, isError } },
      } satisfies ReplyMessage);
    }
  }

  function obey(message: Msg): void {
    const control = message.json<ControlMessage>();
    const entry = served.get(control.sending);
    switch (control.kind) {
      case "cancel":
        entry?.handle?.cancel(control.reason);
        if (entry?.handle !== undefined) served.delete(control.sending);
        return;
      case "answer":
        return entry?.handle?.answer(control.askId, control.answer);
      case "again":
        if (entry === undefined) return reply(control.sending, { kind: "settled", outcome: lostOutcome });
        if (entry.last !== undefined) calls.publish(control.sending, entry.last);
    }
  }

  function dropOldest(): void {
    for (const [sending, { last }] of served) {
      if (last === undefined) continue;
      served.delete(sending);
      if (served.size <= maxKept) return;
    }
  }
}
