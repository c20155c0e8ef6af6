/** The events of one stream that can still be sent again. */
export interface StoredStream {
  readonly id: string;
  /** Keeps an event and returns its id. */
  append(data: string): string;
  /** The events after `lastEventId`, or nothing where some of them are gone. */
  after(lastEventId: string): readonly StoredEvent[] | undefined;
  /** Whether anything of it is still kept. */
  isEmpty(): boolean;
  drop(): void;
}

export interface StoredEvent {
  readonly id: string;
  readonly data: string;
}

/**
 * What was sent on event streams, for clients that lost theirs. Bounded in bytes over all streams together: the oldest
 * events go first, and one larger than the whole store is not kept at all.
 */
export interface EventStore {
  open(): StoredStream;
}

/** What an event costs beside its text: the records around it. */
const overhead = 512;

interface KeptStream {
  /** The number of the oldest event kept. */
  first: number;
  events: string[];
}

export function createEventStore(maxBytes: number): EventStore {
  /** One entry an event, in order of arrival over all streams; a stream that was dropped leaves entries behind. */
  let queue: KeptStream[] = [];
  let head = 0;
  let bytes = 0;
  let kept = 0;
  let streams = 0;

  return {
    open() {
      const id = (++streams).toString(36);
      const stream: KeptStream = { first: 1, events: [] };
      return {
        id,
        append(data) {
          const number = stream.first + stream.events.length;
          if (data.length + overhead > maxBytes) {
            // Not kept, so that nobody can go on from before it; the other streams lose nothing.
            forget(stream);
            stream.first = number + 1;
            return `${id}-${number}`;
          }
          stream.events.push(data);
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

  /** Entries of dropped streams go when they are more than those that count. */
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
