import type { IncomingMessage, ServerResponse } from "node:http";
import { encodeMessage } from "../encode-message.ts";
import type { JsonRpcMessage, JsonRpcResponse } from "../json-rpc.ts";
import type { SpilledTexts } from "../json-spiller.ts";
import { primesStreams } from "../protocol-version.ts";
import type { Headers } from "../mirrored-headers.ts";
import type { Route } from "../served-request.ts";
import { sendEmpty, sendJson, statusOf } from "./answer.ts";
import { type EventStream, openEventStream } from "./event-stream.ts";
import type { Session } from "./sessions.ts";
import type { SessionStream } from "./session-stream.ts";

export interface ExchangeOptions {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly session: Session | undefined;
  readonly isModern: boolean;
  /** Whether the session was opened by this very request, so that its id has to be told. */
  readonly isNewSession: boolean;
  readonly spilled?: SpilledTexts | undefined;
}

/**
 * One POST on its way through: JSON as long as nothing but the answer is sent, an event stream from then on. A class,
 * not a closure: one is made for every request.
 */
export class Exchange implements Route {
  readonly headers: Headers;
  readonly spilled: SpilledTexts | undefined;
  readonly #options: ExchangeOptions;
  #stream: EventStream | SessionStream | undefined;
  #isOld = false;

  constructor(options: ExchangeOptions) {
    this.headers = options.request.headers;
    this.spilled = options.spilled;
    this.#options = options;
  }

  /** Stands alone, since it is handed on to whoever has something to say. */
  readonly send = (message: JsonRpcMessage): void => {
    if (this.#stream || this.#acceptsEvents || !isNews(message)) write(this.#openStream(), message);
  };

  releaseStream(): void {
    const { session } = this.#options;
    // Before 2025-11-25 a server was not to close a stream early, and nothing told clients to come back.
    if (!session || !primesStreams(session.peer.version) || !this.#acceptsEvents) return;
    const opened = this.#openStream();
    if ("release" in opened) opened.release();
  }

  /** Ends it with the answer, or without one where the call was cancelled. */
  finish(answer: JsonRpcResponse | readonly JsonRpcResponse[] | undefined): void {
    const { response, isModern, isNewSession, session } = this.#options;
    if (this.#stream) {
      for (const each of Array.isArray(answer) ? answer : answer ? [answer] : [])
        write(this.#stream, each as JsonRpcResponse);
      this.#stream.end();
    } else if (answer === undefined) {
      sendEmpty(response, 202, this.#ownHeaders);
    } else {
      const status = Array.isArray(answer) ? 200 : statusOf(answer as JsonRpcResponse, isModern);
      sendJson(response, status, answer, isNewSession ? session?.id : undefined);
    }
  }

  /**
   * From time to time. From the second on the stream is open, also where the answer is not there yet, so that nobody on
   * the way gives up; and it is kept alive.
   */
  beat(): void {
    if (this.#isOld && this.#acceptsEvents) this.#openStream().keepAlive();
    this.#isOld = true;
  }

  get #acceptsEvents(): boolean {
    return acceptsEvents(this.#options.request);
  }

  get #ownHeaders(): Readonly<Record<string, string>> {
    const { session, isNewSession } = this.#options;
    return isNewSession && session ? { "mcp-session-id": session.id } : {};
  }

  #openStream(): EventStream | SessionStream {
    if (this.#stream) return this.#stream;
    const { response, session, isModern } = this.#options;
    if (!session || isModern) return (this.#stream = openEventStream(response, this.#ownHeaders));
    const opened = session.openStream();
    opened.attach(response, undefined, this.#ownHeaders);
    return (this.#stream = opened);
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
