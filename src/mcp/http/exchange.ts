import type { IncomingMessage, ServerResponse } from "node:http";
import type { RequestHeaders } from "../../core/http/request-headers.ts";
import { sendEmpty } from "../../core/http/send-json.ts";
import type { SpilledTexts } from "../../core/json-bytes.ts";
import { isLevelAtLeast } from "../messages/interim-messages.ts";
import { type EncodedMessage, encodeInSlices, isTooLargeAtOnce } from "../messages/encoded-message.ts";
import {
  encodeMessage,
  isBatch,
  type JsonRpcMessage,
  type JsonRpcResponse,
  type JsonRpcResult,
  notification,
} from "../messages/json-rpc.ts";
import { primesStreams } from "../messages/protocol-version.ts";
import type { ReplyRoute } from "../server/served-request.ts";
import type { AwaitedRequest } from "./awaited-requests.ts";
import { type EventStream, openEventStream, type SessionStream } from "./event-stream.ts";
import type { HttpSession } from "./http-sessions.ts";
import { rpcHttpStatus, sendRpcResponse } from "./send-rpc-response.ts";

export interface ExchangeOptions {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly session: HttpSession | undefined;
  readonly isModern: boolean;
  /** Whether this request opened the session, so that the response must carry its id. */
  readonly isNewSession: boolean;
  /** The requests that the response answers. */
  readonly requests: readonly AwaitedRequest[];
  readonly spilled?: SpilledTexts | undefined;
}

/**
 * One POST. The response is JSON if only the answer is sent, and an event stream from the first other message on. A
 * class, not a closure: there is one for every request.
 */
export class Exchange implements ReplyRoute {
  readonly headers: RequestHeaders;
  readonly spilled: SpilledTexts | undefined;
  readonly #options: ExchangeOptions;
  #stream: EventStream | SessionStream | undefined;
  #sawHeartbeat = false;

  constructor(options: ExchangeOptions) {
    this.headers = options.request.headers;
    this.spilled = options.spilled;
    this.#options = options;
  }

  /** Bound, because it is passed around without its object. */
  readonly send = (message: JsonRpcMessage): void => {
    if (this.#stream || this.#acceptsEvents || !isSkippable(message)) write(this.#openStream(), message);
  };

  releaseStream(): void {
    const { session } = this.#options;
    // Before 2025-11-25 servers were not to close a stream early, and clients did not know when to come back.
    if (!session || !primesStreams(session.peer.version) || !this.#acceptsEvents) return;
    const opened = this.#openStream();
    if ("release" in opened) opened.release();
  }

  /** Ends the response with the answer, or without one if the call was cancelled. */
  finish(answer: JsonRpcResponse | readonly JsonRpcResponse[] | undefined): Promise<void> | undefined {
    if (answer !== undefined && !isBatch(answer) && isTooLargeAtOnce(answer)) return this.#finishInSlices(answer);
    this.#send(answer);
    return undefined;
  }

  async #finishInSlices(answer: JsonRpcResult): Promise<void> {
    const { response, session } = this.#options;
    this.#send(await encodeInSlices(answer, () => session !== undefined || !response.destroyed));
  }

  #send(answer: JsonRpcResponse | readonly JsonRpcResponse[] | EncodedMessage | undefined): void {
    const { response, isModern, isNewSession, session } = this.#options;
    if (this.#stream) {
      for (const each of answer === undefined ? [] : isBatch(answer) ? answer : [answer]) write(this.#stream, each);
      this.#stream.end();
    } else if (answer === undefined) {
      sendEmpty(response, 202, this.#ownHeaders);
    } else {
      const status = isBatch(answer) || "pieces" in answer ? 200 : rpcHttpStatus(answer, isModern);
      if (status === 503) response.setHeader("retry-after", "1");
      sendRpcResponse(response, status, answer, isNewSession ? session?.id : undefined);
    }
  }

  /**
   * Called at regular intervals. From the second call on the stream is opened and kept alive even without an answer, so
   * that clients and proxies do not time out.
   */
  heartbeat(): void {
    if (this.#sawHeartbeat && this.#acceptsEvents) {
      const isNew = this.#stream === undefined;
      const stream = this.#openStream();
      stream.keepAlive();
      if (isNew) this.#giveEventId(stream);
    }
    this.#sawHeartbeat = true;
  }

  /**
   * A client can come back to a stream that breaks only if it has had an event. Before 2025-11-25 an event had to be a
   * message, so that is what these clients get.
   */
  #giveEventId(stream: EventStream | SessionStream): void {
    const peer = this.#options.session?.peer;
    if (!peer || primesStreams(peer.version) || !isLevelAtLeast("info", peer.logLevel)) return;
    write(stream, notification("notifications/message", { level: "info", logger: "clawport", data: stillRunning }));
  }

  get #acceptsEvents(): boolean {
    return this.#options.request.headers.accept?.includes(eventStreamType) ?? false;
  }

  get #ownHeaders(): Readonly<Record<string, string>> {
    const { session, isNewSession } = this.#options;
    return isNewSession && session ? { "mcp-session-id": session.id } : {};
  }

  #openStream(): EventStream | SessionStream {
    if (this.#stream) return this.#stream;
    const { response, session, isModern, requests } = this.#options;
    if (!session || isModern) return (this.#stream = openEventStream(response, this.#ownHeaders));
    const opened = session.openStream(requests);
    opened.attach(response, undefined, this.#ownHeaders);
    return (this.#stream = opened);
  }
}

const stillRunning = "The call is still running.";

const eventStreamType = "text/event-stream";

/** For the stream of a session. A POST is answered with events only if they are named; a bare wildcard means JSON. */
export function acceptsEvents(request: IncomingMessage): boolean {
  const { accept } = request.headers;
  return accept !== undefined && (accept.includes(eventStreamType) || accept.includes("*/*"));
}

function write(stream: EventStream | SessionStream, message: JsonRpcMessage | EncodedMessage): void {
  if ("send" in stream) stream.send(message);
  else stream.write("pieces" in message ? message : encodeMessage(message));
}

/** Whether a client that accepts no stream can do without the message. It then gets its answer as JSON. */
function isSkippable(message: JsonRpcMessage): boolean {
  return "method" in message && skippableNotifications.has(message.method);
}

const skippableNotifications: ReadonlySet<string> = new Set(["notifications/progress", "notifications/message"]);
