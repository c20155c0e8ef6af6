import type { IncomingMessage } from "node:http";
import type { setTimeout as sleep } from "node:timers/promises";
import { Fault } from "../../core/fault.ts";
import { isEventStream, tooLarge } from "../../core/http/send-http.ts";
import { createEventReader, type EventReader } from "./event-reader.ts";

export interface ResumableStreamOptions {
  /** Takes the data of an event. Returns whether more is expected. */
  onData(data: string): boolean | Promise<boolean>;
  /** Whether the server lets clients resume a stream. */
  mayResume(): boolean;
  /** Requests the events after this one. */
  resume(lastEventId: string): Promise<IncomingMessage>;
  readonly maxMessageBytes: number;
  readonly signal: AbortSignal;
  readonly sleep: typeof sleep;
}

/** How often in a row a stream is resumed without any new event before it counts as lost. */
const maxResumes = 3;

/** How long a stream may stay open after its last expected event. */
const graceMs = 1000;

/**
 * Reads an event stream, and the streams that continue it after a lost connection, until nothing more is expected. The
 * fault says why no more came.
 */
export async function readResumable(first: IncomingMessage, options: ResumableStreamOptions): Promise<Fault> {
  const { onData, mayResume, resume, maxMessageBytes, signal, sleep: pause } = options;
  let response: IncomingMessage | undefined = first;
  let lastEventId: string | undefined;
  let retryMs = 1000;
  let failures = 0;
  let expectsMore = true;

  while (failures <= maxResumes) {
    failures++;
    if (response) {
      const current: IncomingMessage = response;
      let linger: NodeJS.Timeout | undefined;
      const onTaken = (isMoreExpected: boolean): void => {
        if (isMoreExpected) return;
        expectsMore = false;
        // The server should end the stream now. If it does not, the connection would stay open forever.
        linger = setTimeout(() => current.destroy(), graceMs).unref();
      };
      const reader = createEventReader(({ data }) => {
        failures = 0;
        const taken = onData(data);
        return taken instanceof Promise ? taken.then(onTaken) : onTaken(taken);
      }, maxMessageBytes);
      const problem = await readStream(current, reader.push);
      clearTimeout(linger);
      if (problem instanceof RangeError) return tooLarge(maxMessageBytes);
      if (reader.lastId() !== lastEventId && reader.lastId() !== undefined) failures = 0;
      lastEventId = reader.lastId() ?? lastEventId;
      retryMs = reader.retryMs() ?? retryMs;
    }
    if (!expectsMore || lastEventId === undefined || !mayResume() || failures > maxResumes || signal.aborted) break;
    const wait = Math.min(retryMs * 2 ** failures, 30_000);
    await pause(wait, undefined, { signal, ref: false }).catch(() => {});
    response = await resume(lastEventId).catch(() => undefined);
    if (response && !isEventStream(response)) {
      response.resume();
      break;
    }
  }
  return new Fault("outcome-unknown", "The connection was lost before the answer came.");
}

/** Reads a stream until it ends or breaks. Returns what the reader or the connection threw, if anything. */
async function readStream(response: IncomingMessage, push: EventReader["push"]): Promise<unknown> {
  response.setEncoding("utf8");
  try {
    for await (const text of response as AsyncIterable<string>) {
      const taking = push(text);
      if (taking) await taking;
    }
    return undefined;
  } catch (error) {
    response.destroy();
    return error;
  }
}
