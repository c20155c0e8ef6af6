import type { IncomingMessage, ServerResponse } from "node:http";
import type { SpilledTexts } from "../../core/json-bytes.ts";
import { encodeMessage, type JsonRpcMessage, type JsonRpcResponse } from "../messages/json-rpc.ts";
import { primesStreams } from "../messages/protocol-version.ts";
import type { ReplyRoute } from "../server/served-request.ts";
import { type EventStream, openEventStream, type SessionStream } from "./event-stream.ts";
import type { HttpSession } from "./http-sessions.ts";
import { rpcHttpStatus, sendEmpty, sendRpcResponse } from "./send-rpc-response.ts";
import type { RequestHeaders } from "../../core/http/request-headers.ts";

export interface ExchangeOptions {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly session: HttpSession | undefined;
  readonly isModern: boolean;
  /** Whether the session was opened by this very request, so that its id has to be told. */
  readonly isNewSession: boolean;
  readonly spilled?: SpilledTexts | undefined;
}

/**
 * One POST on its way through: JSON as long as nothing but the answer is sent, an event stream from then on. A class,
 * not a closure: one is made for every request.
 */
export class Exchange implements ReplyRoute {
  readonly headers: RequestHeaders;
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
    if (this.#stream || this.#acceptsEvents || !isSkippable(message)) write(this.#openStream(), message);
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
      const status = Array.isArray(answer) ? 200 : rpcHttpStatus(answer as JsonRpcResponse, isModern);
      sendRpcResponse(response, status, answer, isNewSession ? session?.id : undefined);
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
function isSkippable(message: JsonRpcMessage): boolean {
  return "method" in message && skippableNotifications.has(message.method);
}

const skippableNotifications: ReadonlySet<string> = new Set(["notifications/progress", "notifications/message"]);
