import type { Msg } from "@nats-io/transport-node";
import { parseJson } from "../../../core/json.ts";
import { messageOf } from "../../../core/fault.ts";
import type { Log } from "../../../core/log.ts";
import { sleep } from "../../../core/wait.ts";
import {
  type CallHandle,
  type CallListener,
  type CallOrder,
  type CallOutcome,
  lostOutcome,
  noHolderOutcome,
  settledHandle,
  skippedOutcome,
} from "../call/call-bus.ts";
import { type Bulk, largestInline } from "./bulk.ts";
import type { ControlMessage, OrderMessage, ReplyMessage, Subjects } from "./bus-messages.ts";
import { createInstanceWatch } from "./instance-watch.ts";
import type { NatsLinks } from "./nats-connection.ts";

export interface BusParts {
  readonly links: NatsLinks;
  readonly instance: string;
  readonly subjects: Subjects;
  readonly bulk: Bulk;
  readonly log: Log;
}

/** The side of the bus that sends calls and waits for their outcomes. */
export interface CallerSide {
  send(order: CallOrder, listener: CallListener): CallHandle;
  waitForHolder(sessionId: string, withinMs: number, signal?: AbortSignal): Promise<boolean>;
  /** How many calls wait for their outcome. */
  readonly size: number;
  close(): void;
}

interface Sending {
  readonly key: string;
  readonly listener: CallListener;
  readonly deadline: number;
  /** Which instance accepted it. */
  instance: string | undefined;
}

/** How often a caller looks for a holder that may come. */
const probeMs = 25;
const sweepMs = 5000;

export function openCallerSide({ links, instance, subjects, bulk, log }: BusParts): CallerSide {
  const { main, calls } = links;
  const sendings = new Map<string, Sending>();
  let made = 0;
  const replies = calls.listen(subjects.reply(instance, "*"), take);
  const watch = createInstanceWatch({ links, subjects, onLost: loseAllOf, onUnsure: askAgain });
  links.onReconnect(() => askAgain());
  // A sending that got no answer is replaced by the next one; nobody ends it.
  const sweep = setInterval(() => {
    const now = Date.now();
    for (const sending of sendings.values()) if (sending.deadline + sweepMs < now) drop(sending);
  }, sweepMs).unref();

  return {
    send(order, listener) {
      if (!links.isConnected()) {
        listener.settled(disconnectedOutcome);
        return settledHandle;
      }
      const key = (++made).toString(36);
      const sending: Sending = { key, listener, deadline: order.deadline, instance: undefined };
      sendings.set(key, sending);
      const reply = subjects.reply(instance, key);
      try {
        calls.publish(subjects.call(order.sessionId), encodeOrder(order), reply);
      } catch (error) {
        drop(sending);
        const message = `The call could not be sent: ${messageOf(error)} The app has not seen it.`;
        listener.settled({ kind: "refused", code: "unavailable", message });
        return settledHandle;
      }
      return {
        cancel(reason) {
          control(sending, { kind: "cancel", reason });
          drop(sending);
        },
        answer: (askId, answer) => control(sending, { kind: "answer", askId, answer }),
      };
    },
    async waitForHolder(sessionId, withinMs, signal) {
      const until = Date.now() + withinMs;
      for (;;) {
        if (signal?.aborted) return false;
        if (await probe(sessionId)) return true;
        if (Date.now() + probeMs > until) return false;
        await sleep(probeMs, signal).catch(() => {});
      }
    },
    get size() {
      return sendings.size;
    },
    close() {
      clearInterval(sweep);
      replies.unsubscribe();
      watch.close();
      for (const sending of sendings.values()) settle(sending, lostOutcome);
    },
  };

  function encodeOrder({ deadline, ...order }: CallOrder): string {
    const message: OrderMessage = { order, leftMs: deadline - Date.now() };
    const text = JSON.stringify(message);
    if (text.length < largestInline / 3 || Buffer.byteLength(text) <= largestInline) return text;
    return JSON.stringify({ bulk: bulk.offer(Buffer.from(text)) } satisfies OrderMessage);
  }

  function take(message: Msg): void {
    const sending = sendings.get(message.subject.slice(message.subject.lastIndexOf(".") + 1));
    if (sending === undefined) return;
    if (message.headers?.code === 503) return settle(sending, noHolderOutcome);
    const reply = message.json<ReplyMessage>();
    switch (reply.kind) {
      case "accepted":
        sending.instance = reply.instance;
        watch.add(reply.instance, sending);
        return sending.listener.accepted();
      case "news":
        return sending.listener.news(reply.news);
      case "settled":
        return settle(sending, reply.outcome);
      case "skipped":
        return settle(sending, skippedOutcome);
      case "bulk":
        bulk
          .read(reply.bulk)
          .then((data) => settle(sending, parseJson(data.toString("utf8")) as CallOutcome))
          .catch((error: unknown) => {
            log.warn("a large result was lost between instances", { error });
            settle(sending, lostOutcome);
          });
        return;
      case "here":
    }
  }

  function settle(sending: Sending, outcome: CallOutcome): void {
    if (sendings.get(sending.key) !== sending) return;
    drop(sending);
    sending.listener.settled(outcome);
  }

  function drop(sending: Sending): void {
    sendings.delete(sending.key);
    if (sending.instance !== undefined) watch.remove(sending.instance, sending);
  }

  function control({ key, instance: holder }: Sending, what: WithoutSending<ControlMessage>): void {
    const subject = holder === undefined ? subjects.controlAll : subjects.control(holder);
    const message: ControlMessage = { ...what, sending: subjects.reply(instance, key) };
    if (!main.isClosed()) calls.publish(subject, JSON.stringify(message));
  }

  function loseAllOf(lost: Iterable<unknown>): void {
    for (const sending of lost) settle(sending as Sending, lostOutcome);
  }

  /** Replies may have been lost with a connection. */
  function askAgain(unsure: Iterable<unknown> = sendings.values()): void {
    for (const sending of unsure as Iterable<Sending>)
      if (sending.instance !== undefined) control(sending, { kind: "again" });
  }

  async function probe(sessionId: string): Promise<boolean> {
    try {
      await calls.request(subjects.call(sessionId), JSON.stringify({ probe: true } satisfies OrderMessage), 400);
      return true;
    } catch {
      return false;
    }
  }
}

type WithoutSending<Message> = Message extends unknown ? Omit<Message, "sending"> : never;

const disconnectedOutcome: CallOutcome = {
  kind: "refused",
  code: "unavailable",
  message: "The connection to NATS is down. The app has not seen the call; it is safe to try again.",
};
