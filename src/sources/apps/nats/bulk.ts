import { randomBytes } from "node:crypto";
import { Fault, messageOf } from "../../../core/fault.ts";
import type { NatsLinks } from "./nats-connection.ts";

/** NATS carries messages of up to 1 MB; what is larger than this goes in pieces. */
export const largestInline = 512 * 1024;
const pieceBytes = 256 * 1024;
/** How many pieces are under way at a time: the reader asks for each, so a slow one is never flooded. */
const window = 8;
const pieceMs = 5000;
const keepMs = 60_000;

/** What is offered to other instances in pieces. */
export interface BulkOffer {
  /** `<instance>.<id>`: where the pieces are asked for. */
  readonly from: string;
  readonly bytes: number;
}

export interface BulkLimits {
  /** Of one transfer. */
  readonly maxBytes: number;
  /** Of all that wait here to be read. */
  readonly maxWaiting: number;
}

/** Large pieces between instances, read at the pace of the reader over a connection of their own. */
export interface Bulk {
  offer(data: Buffer): BulkOffer;
  read(offer: BulkOffer): Promise<Buffer>;
  close(): void;
}

interface Waiting {
  readonly data: Buffer;
  timer: NodeJS.Timeout;
}

export function createBulk(links: NatsLinks, instance: string, limits: BulkLimits): Bulk {
  const { bulk: connection, pieces: channel, prefix } = links;
  const waiting = new Map<string, Waiting>();
  let waitingBytes = 0;
  const subscription = channel.listen(`${prefix}.bulk.${instance}.*`, (message) => {
    const id = message.subject.slice(message.subject.lastIndexOf(".") + 1);
    const found = waiting.get(id);
    const at = Number(message.string());
    if (found === undefined || !Number.isInteger(at)) return;
    if (at < 0) return forget(id);
    found.timer.refresh();
    channel.respond(message, found.data.subarray(at * pieceBytes, (at + 1) * pieceBytes));
  });

  return {
    offer(data) {
      if (data.length > limits.maxBytes || waitingBytes + data.length > limits.maxWaiting)
        throw new Fault("too-large", "The message is too large to be passed between instances.");
      const id = randomBytes(12).toString("base64url");
      const timer = setTimeout(forget, keepMs, id);
      waiting.set(id, { data, timer: timer.unref() });
      waitingBytes += data.length;
      return { from: `${instance}.${id}`, bytes: data.length };
    },
    async read({ from, bytes }) {
      if (!/^[\w-]+\.[\w-]+$/.test(from) || !Number.isSafeInteger(bytes) || bytes < 0 || bytes > limits.maxBytes)
        throw new Fault("too-large", "The message of another instance is too large.");
      const subject = `${prefix}.bulk.${from}`;
      const whole = Buffer.allocUnsafe(bytes);
      const pieces = Math.ceil(bytes / pieceBytes);
      let next = 0;
      const readSome = async (): Promise<void> => {
        while (next < pieces) {
          const at = next++;
          const { data } = await channel.request(subject, String(at), pieceMs);
          if (data.length !== Math.min(pieceBytes, bytes - at * pieceBytes))
            throw new Error("a piece has the wrong size");
          whole.set(data, at * pieceBytes);
        }
      };
      try {
        await Promise.all(Array.from({ length: Math.min(window, pieces) }, readSome));
      } catch (error) {
        throw new Fault("unavailable", `A large message was lost between instances: ${messageOf(error)}`, {
          cause: error,
        });
      } finally {
        if (!connection.isClosed()) channel.publish(subject, "-1");
      }
      return whole;
    },
    close() {
      subscription.unsubscribe();
      for (const id of waiting.keys()) forget(id);
    },
  };

  function forget(id: string): void {
    const found = waiting.get(id);
    if (found === undefined) return;
    clearTimeout(found.timer);
    waiting.delete(id);
    waitingBytes -= found.data.length;
  }
}
