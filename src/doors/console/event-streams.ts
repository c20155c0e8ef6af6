import type { ServerResponse } from "node:http";
import { Fault } from "../../core/fault.ts";
import type { ConsoleSession } from "./console-sessions.ts";
import { commonHeaders } from "./serve-page.ts";

/** News for the page. */
export type ConsoleEvent = { readonly type: string } & Readonly<Record<string, unknown>>;

export interface EventStreams {
  /** Keeps the response open until the browser goes, the session ends, or it reads too slowly. */
  open(session: ConsoleSession, response: ServerResponse, first: ConsoleEvent): void;
  send(event: ConsoleEvent): void;
  readonly size: number;
  /** Whether the page is open in a session that may answer. */
  hasPerson(): boolean;
  close(): void;
}

export interface EventStreamsOptions {
  isValid(session: ConsoleSession): boolean;
  /** Called with true whenever a stream opens, and with false when the last one has closed. */
  onUse(inUse: boolean): void;
  readonly heartbeatMs?: number | undefined;
}

interface Stream {
  readonly session: ConsoleSession;
  readonly response: ServerResponse;
}

const heartbeatMs = 15_000;
const checkMs = 500;
const maxStreams = 32;
const maxOfOne = 8;
/** What a browser that does not read may leave waiting. It comes back and starts afresh. */
const maxWaitingBytes = 4 * 1024 * 1024;

export function createEventStreams(options: EventStreamsOptions): EventStreams {
  const streams = new Set<Stream>();
  let heartbeat: NodeJS.Timeout | undefined;
  let checks: NodeJS.Timeout | undefined;

  function remove(stream: Stream): void {
    if (!streams.delete(stream) || streams.size > 0) return;
    clearInterval(heartbeat);
    clearInterval(checks);
    options.onUse(false);
  }

  function write(stream: Stream, text: string): void {
    const { response, session } = stream;
    if (options.isValid(session) && response.writableLength <= maxWaitingBytes) return void response.write(text);
    response.destroy();
    remove(stream);
  }

  /** A session that has ended hears nothing more, even if nothing happens. */
  function endInvalid(): void {
    for (const { response, session } of streams) if (!options.isValid(session)) response.destroy();
  }

  function send(event: ConsoleEvent): void {
    if (streams.size === 0) return;
    const text = eventText(event);
    for (const stream of streams) write(stream, text);
  }

  return {
    send,
    open(session, response, first) {
      const own = [...streams].filter((stream) => stream.session.id === session.id);
      if (streams.size >= maxStreams || own.length >= maxOfOne)
        throw new Fault("busy", "The console is open in too many windows. Close some.");
      response.writeHead(200, {
        ...commonHeaders,
        "content-type": "text/event-stream; charset=utf-8",
        "cache-control": "no-store",
      });
      const stream = { session, response };
      streams.add(stream);
      response.on("close", () => remove(stream));
      response.write(eventText(first));
      if (streams.size === 1) {
        const beat = (): void => send({ type: "heartbeat", at: new Date().toISOString() });
        heartbeat = setInterval(beat, options.heartbeatMs ?? heartbeatMs).unref();
        checks = setInterval(endInvalid, checkMs).unref();
      }
      options.onUse(true);
    },
    get size() {
      return streams.size;
    },
    hasPerson: () => [...streams].some(({ session }) => session.terminal && options.isValid(session)),
    close() {
      for (const { response } of streams) response.end();
      clearInterval(heartbeat);
      clearInterval(checks);
      streams.clear();
    },
  };
}

function eventText(event: ConsoleEvent): string {
  return `data: ${JSON.stringify(event)}\n\n`;
}
