import type { IncomingMessage, ServerResponse } from "node:http";
import { encodeMessage } from "../encode-message.ts";
import type { JsonRpcMessage, JsonRpcResponse } from "../json-rpc.ts";
import type { SpilledTexts } from "../json-spiller.ts";
import { primesStreams } from "../protocol-version.ts";
import type { Route } from "../served-request.ts";
import { sendEmpty, sendJson, statusOf } from "./answer.ts";
import { type EventStream, openEventStream } from "./event-stream.ts";
import type { Session } from "./sessions.ts";
import type { SessionStream } from "./session-stream.ts";

/** One POST on its way through: JSON as long as nothing but the answer is sent, an event stream from then on. */
export interface Exchange extends Route {
  /** Ends it with the answer, or without one where the call was cancelled. */
  finish(answer: JsonRpcResponse | readonly JsonRpcResponse[] | undefined): void;
  /** Opens the stream for an answer that takes long, so that nobody on the way gives up; keeps an open one alive. */
  keepAlive(): void;
}

export interface ExchangeOptions {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly session: Session | undefined;
  readonly isModern: boolean;
  /** Whether the session was opened by this very request, so that its id has to be told. */
  readonly isNewSession: boolean;
  readonly spilled?: SpilledTexts | undefined;
}

export function openExchange(options: ExchangeOptions): Exchange {
  const { request, response, session, isModern, isNewSession, spilled } = options;
  let stream: EventStream | SessionStream | undefined;
  const headers: Record<string, string> = isNewSession && session ? { "mcp-session-id": session.id } : {};

  return {
    headers: request.headers,
    spilled,
    send(message) {
      if (stream || acceptsEvents(request) || !isNews(message)) write(openStream(), message);
    },
    releaseStream() {
      // Before 2025-11-25 a server was not to close a stream early, and nothing told clients to come back.
      if (!session || !primesStreams(session.peer.version) || !acceptsEvents(request)) return;
      const opened = openStream();
      if ("release" in opened) opened.release();
    },
    finish(answer) {
      if (stream) {
        for (const each of Array.isArray(answer) ? answer : answer ? [answer] : [])
          write(stream, each as JsonRpcResponse);
        stream.end();
      } else if (answer === undefined) {
        sendEmpty(response, 202, headers);
      } else {
        const status = Array.isArray(answer) ? 200 : statusOf(answer as JsonRpcResponse, isModern);
        sendJson(response, status, answer, isNewSession ? session?.id : undefined);
      }
    },
    keepAlive() {
      if (acceptsEvents(request)) openStream().keepAlive();
    },
  };

  function openStream(): EventStream | SessionStream {
    if (stream) return stream;
    if (!session || isModern) return (stream = openEventStream(response, headers));
    const opened = session.openStream();
    opened.attach(response, undefined, headers);
    return (stream = opened);
  }
}

export function acceptsEvents(request: IncomingMessage): boolean {
  const { accept } = request.headers;
  return accept !== undefined && (accept.includes("text/event-stream") || accept.includes("*/*"));
}

function write(stream: EventStream | SessionStream, message: JsonRpcMessage): void {
  if ("send" in stream) stream.send(message);
  else stream.write(encodeMessage(message));
}

/** What a client can do without: one that takes no stream gets its answer as JSON and is spared these. */
function isNews(message: JsonRpcMessage): boolean {
  return "method" in message && news.has(message.method);
}

const news: ReadonlySet<string> = new Set(["notifications/progress", "notifications/message"]);
