import type { Wire } from "./messages.ts";

/** One event of a Server-Sent Events stream. */
export interface StreamEvent {
  readonly id?: string;
  readonly retry?: number;
  readonly data?: string;
  /** The data, parsed; undefined for an event without data. */
  readonly message?: Wire;
  /** Whether it was a comment, which serves as a heartbeat. */
  readonly isComment: boolean;
}

/** Reads the events of a response body one by one. */
export interface EventReader {
  /** The next event; undefined at the end of the stream. */
  next(): Promise<StreamEvent | undefined>;
  /** All remaining events, up to the end of the stream. */
  rest(): Promise<StreamEvent[]>;
  /** The messages among the remaining events. */
  messages(): Promise<Wire[]>;
}

export function readEvents(body: AsyncIterable<Uint8Array>): EventReader {
  const chunks = body[Symbol.asyncIterator]();
  const decoder = new TextDecoder();
  /** The pieces of an incomplete event. Joined only at its end, since large events come in many pieces. */
  let pieces: string[] = [];

  const reader: EventReader = {
    async next() {
      for (let piece = pieces.pop() ?? ""; ;) {
        const end = piece.indexOf("\n\n");
        if (end >= 0) {
          const block = [...pieces, piece.slice(0, end)].join("");
          pieces = [piece.slice(end + 2)];
          return parseEvent(block);
        }
        const { value, done } = await chunks.next();
        if (done) return undefined;
        // The end marker may be split across two pieces.
        pieces.push(piece.slice(0, -1));
        piece = piece.slice(-1) + decoder.decode(value, { stream: true });
      }
    },
    async rest() {
      const events: StreamEvent[] = [];
      for (let event = await reader.next(); event; event = await reader.next()) events.push(event);
      return events;
    },
    messages: async () => (await reader.rest()).flatMap(({ message }) => (message ? [message] : [])),
  };
  return reader;
}

function parseEvent(block: string): StreamEvent {
  const fields = new Map(
    block.split("\n").map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1).trimStart()]),
  );
  const [id, retry, data] = [fields.get("id"), fields.get("retry"), fields.get("data")];
  return {
    ...(id === undefined ? {} : { id }),
    ...(retry === undefined ? {} : { retry: Number(retry) }),
    ...(data === undefined ? {} : { data }),
    ...(data ? { message: JSON.parse(data) as Wire } : {}),
    isComment: block.startsWith(":"),
  };
}
