import { randomHex } from "../../core/secrets/crypto.ts";

/** The events of one stream that can still be sent again. */
export interface StoredStream {
  readonly id: string;
  /** Stores an event and returns its id. */
  append(data: StoredData): string;
  /** The events after `lastEventId`. Undefined if some of them are gone. */
  after(lastEventId: string): readonly StoredEvent[] | undefined;
  /** Whether no event is stored any more. */
  isEmpty(): boolean;
  drop(): void;
}

/** A text, or what can be made one: an event that is too large for the store never is. */
type StoredData = Pick<string, "length" | "toString">;

export interface StoredEvent {
  readonly id: string;
  readonly data: string;
}

/**
 * The events that were sent on streams, for clients that lost their connection. The store is bounded in bytes over all
 * streams. The oldest events go first, and an event larger than the whole store is not stored.
 */
export interface EventStore {
  /** `tag` becomes a part of the ids, after a dot. */
  open(tag?: string): StoredStream;
  /** Whether the event may be of an earlier process. */
  isForeign(eventId: string): boolean;
}

/** What an event costs in addition to its text. */
const overhead = 512;

interface KeptStream {
  /** The number of the oldest stored event. */
  first: number;
  events: string[];
}

export function createEventStore(maxBytes: number): EventStore {
  /** One entry per event, in order of arrival over all streams. A dropped stream leaves stale entries behind. */
  let queue: KeptStream[] = [];
  let head = 0;
  let bytes = 0;
  let kept = 0;
  let streams = 0;
  // A client may come back with an id of an earlier process.
  const start = randomHex(5);

  return {
    isForeign: (eventId) => !eventId.startsWith(start),
    open(tag = "") {
      const id = `${start}${(++streams).toString(36)}.${tag}`;
      const stream: KeptStream = { first: 1, events: [] };
      return {
        id,
        append(data) {
          const number = stream.first + stream.events.length;
          if (data.length + overhead > maxBytes) {
            // It is not stored, so no client can resume from before it. The other streams lose nothing.
            forget(stream);
            stream.first = number + 1;
            return `${id}-${number}`;
          }
          stream.events.push(data.toString());
          queue.push(stream);
          kept++;
          bytes += data.length + overhead;
          while (bytes > maxBytes) evictOldest();
          return `${id}-${number}`;
        },
        after(lastEventId) {
          const number = Number(lastEventId.slice(id.length + 1));
          if (!lastEventId.startsWith(`${id}-`) || !Number.isInteger(number) || number + 1 < stream.first)
            return undefined;
          return stream.events
            .slice(number + 1 - stream.first)
            .map((data, index) => ({ id: `${id}-${number + 1 + index}`, data }));
        },
        isEmpty: () => stream.events.length === 0,
        drop: () => forget(stream),
      };
    },
  };

  function evictOldest(): void {
    const oldest = queue[head++];
    if (oldest) forgetFirst(oldest);
    compact();
  }

  function forget(stream: KeptStream): void {
    while (stream.events.length > 0) forgetFirst(stream);
    compact();
  }

  function forgetFirst(stream: KeptStream): void {
    const data = stream.events.shift();
    if (data === undefined) return;
    stream.first++;
    kept--;
    bytes -= data.length + overhead;
  }

  /** Removes the stale entries when they outnumber the others. */
  function compact(): void {
    if (queue.length < 1024 || queue.length < 2 * kept) return;
    const left = new Map<KeptStream, number>();
    queue = queue.slice(head).filter((stream) => {
      const used = left.get(stream) ?? 0;
      left.set(stream, used + 1);
      return used < stream.events.length;
    });
    head = 0;
  }
}
