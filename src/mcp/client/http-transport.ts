import type { Agent, IncomingMessage, OutgoingHttpHeaders } from "node:http";
import { setImmediate as nextTurn, setTimeout as sleepForReal } from "node:timers/promises";
import { parseJson } from "../../core/json.ts";
import { Fault, isFault } from "../../core/fault.ts";
import { isEventStream, readText, retryAfterMs } from "../../core/http/send-http.ts";
import { LazyAbort } from "../../core/lazy-abort.ts";
import type { Log } from "../../core/log.ts";
import { inSlices, maxAtOnce } from "../../core/slices/in-slices.ts";
import { idOf, isRequest, type JsonRpcId, type JsonRpcMessage } from "../messages/json-rpc.ts";
import { mirrorHeaders } from "../messages/mirrored-headers.ts";
import { type Authorizer, sendAuthorized } from "./authorizer.ts";
import type { ClientTransport, SendOptions, TransportListener } from "./client-transport.ts";
import { refusalOf } from "./http-refusal.ts";
import { isAnswerTo, type OnRefused, readMessages, readMessagesInSlices } from "./read-messages.ts";
import { readResumable, type ResumableStreamOptions } from "./resumable-stream.ts";

export interface HttpTransportOptions {
  readonly url: URL;
  /** Sent with every request. Called each time, because a token may have been renewed. */
  readonly headers: () => Promise<Readonly<Record<string, string>>> | Readonly<Record<string, string>>;
  /** For servers that need more than fixed headers. */
  readonly authorizer?: Authorizer | undefined;
  /** Used by this transport alone, and destroyed with it. */
  readonly agent: Agent;
  readonly log: Log;
  /** The largest message accepted from the server. */
  readonly maxMessageBytes: number;
  /** How to wait before a retry; by the real clock unless given. */
  readonly sleep?: typeof sleepForReal;
}

/** How long, and how often, a message is sent again to a server that says it is too busy. */
const maxPatienceMs = 30_000;
const maxPauses = 30;

/** Streamable HTTP in both eras, directly on `node:http`. */
export function createHttpTransport(options: HttpTransportOptions): ClientTransport {
  const { url, authorizer, agent, log, maxMessageBytes, sleep = sleepForReal } = options;
  const closing = new LazyAbort();
  let listener: TransportListener;
  /** Set in the legacy era only, which is also the only one where streams can be resumed. */
  let version: string | undefined;
  let sessionId: string | undefined;
  let sending = 0;

  return {
    cancelsByClosing: true,
    get sessionId() {
      return sessionId;
    },
    start(given) {
      listener = given;
      return Promise.resolve();
    },
    settle(settled) {
      version = settled;
    },
    async send(message, sendOptions = {}) {
      const { abort = closing } = sendOptions;
      if (sending === 0) await processPendingCloses();
      sending++;
      try {
        const response = await postPatiently(message, sendOptions, abort);
        await receive(response, message, abort);
      } finally {
        sending--;
      }
      if ("method" in message && message.method === "notifications/initialized") {
        // Before the first call: a server could take a later GET for the continuation of that call's stream.
        await new Promise<void>((resolve) => void listen(resolve));
      }
    },
    async close() {
      if (closing.aborted) return;
      await endSession();
      closing.abort(new Fault("cancelled", "The connection was closed."));
      agent.destroy();
    },
  };

  /** With 429 and 503 the server has not accepted the request, so it is safe to send it again. */
  async function postPatiently(
    message: JsonRpcMessage,
    sendOptions: SendOptions,
    abort: LazyAbort,
  ): Promise<IncomingMessage> {
    const started = Date.now();
    const body = (): string => JSON.stringify(message);
    const ownHeaders = {
      accept: "application/json, text/event-stream",
      "content-type": "application/json",
      ...mirrorHeaders(message),
      ...sendOptions.headers,
    };
    for (let pauses = 0; ; pauses++) {
      const common = options.headers();
      const headers = { ...(common instanceof Promise ? await common : common), ...sessionHeaders(), ...ownHeaders };
      const call = { url, method: "POST", headers, body, agent, abort } as const;
      const response = await sendAuthorized(call, authorizer);
      const wait = pauseOf(response);
      if (wait === undefined || pauses === maxPauses) return response;
      if (Date.now() - started + wait > maxPatienceMs) return response;
      response.resume();
      log.info("waiting because the server is too busy", { status: response.statusCode, waitMs: wait });
      sendOptions.onPause?.(wait);
      await sleep(wait, undefined, { signal: abort.signal });
    }
  }

  async function receive(response: IncomingMessage, sent: JsonRpcMessage, abort: LazyAbort): Promise<void> {
    const status = response.statusCode ?? 0;
    const isInitialize = isRequest(sent) && sent.method === "initialize";
    if (isInitialize && typeof response.headers["mcp-session-id"] === "string" && !(await isSessionConfigured()))
      sessionId = response.headers["mcp-session-id"];
    const id = isRequest(sent) ? sent.id : undefined;
    if (status === 202 || status === 204) {
      response.resume();
      return;
    }
    if (isEventStream(response)) {
      // The stream may last as long as the call, but the message counts as sent once the server has accepted it.
      void follow(response, id, abort);
      return;
    }
    const text = await readText(response, maxMessageBytes);
    if (status === 200) {
      const delivered = deliver(text, id, abort);
      const isAnswered = typeof delivered === "boolean" ? delivered : await delivered;
      if (!isAnswered && id !== undefined)
        throw new Fault("outcome-unknown", "The server sent a response that does not answer the request.");
      return;
    }
    // Modern servers send protocol errors with an HTTP status of their own, and the body is still the answer. The error
    // of an older server that does not understand the request has no id.
    const isModern = "mcp-method" in mirrorHeaders(sent);
    const isJson = (response.headers["content-type"] ?? "").includes("json");
    if (id !== undefined && isModern && isJson && idOf(tryParseJson(text)) === id && (await deliver(text, id, abort)))
      return;
    const isFirst = isInitialize || ("method" in sent && sent.method === "server/discover");
    throw refusalOf(
      response,
      text,
      isFirst ? "none" : isModern ? "modern" : sessionId === undefined ? "none" : "session",
    );
  }

  /** Reads the stream that answers a request. */
  async function follow(first: IncomingMessage, id: JsonRpcId | undefined, abort: LazyAbort): Promise<void> {
    let isAnswered = false;
    const expectsMore = (isAnswer: boolean): boolean => !(isAnswered ||= isAnswer);
    const fault = await readStream(first, abort.signal, (text) => {
      const delivered = deliver(text, id, abort);
      return typeof delivered === "boolean" ? expectsMore(delivered) : delivered.then(expectsMore);
    });
    if (!isAnswered && !abort.aborted && id !== undefined) listener.onLost(id, fault);
  }

  /** Keeps a stream open for messages that belong to no request, if the server has one. */
  async function listen(onSent: () => void): Promise<void> {
    let failures = 0;
    let hadStream = false;
    if (closing.aborted) onSent();
    while (!closing.aborted) {
      const response = await get(undefined, closing.signal, onSent).catch((error: unknown) =>
        isFault(error, "unauthorized") ? "refused" : undefined,
      );
      onSent();
      // Each attempt may use up a refresh token. The next connection tries again.
      if (response === "refused") return;
      if (response && !isEventStream(response)) {
        response.resume();
        // A server without such streams may answer the first request with 404, too.
        if (hadStream && response.statusCode === 404 && sessionId !== undefined) listener.onSessionDoubt?.();
        return;
      }
      hadStream ||= response !== undefined;
      failures = response ? 0 : failures + 1;
      if (response)
        await readStream(response, closing.signal, (text) => {
          const delivered = deliver(text, undefined, closing);
          return typeof delivered === "boolean" || delivered.then(() => true);
        });
      const wait = Math.min(1000 * 2 ** failures, 60_000);
      await sleep(wait, undefined, { signal: closing.signal, ref: false }).catch(() => {});
    }
  }

  function readStream(
    first: IncomingMessage,
    signal: AbortSignal,
    onData: ResumableStreamOptions["onData"],
  ): Promise<Fault> {
    return readResumable(first, {
      onData,
      mayResume: () => version !== undefined && !closing.aborted,
      resume: (lastEventId) => get(lastEventId, signal),
      maxMessageBytes,
      signal,
      sleep,
    });
  }

  async function get(
    lastEventId: string | undefined,
    signal: AbortSignal,
    onSent?: () => void,
  ): Promise<IncomingMessage> {
    const resume = lastEventId === undefined ? {} : { "last-event-id": lastEventId };
    const headers = { ...(await commonHeaders()), accept: "text/event-stream", ...resume };
    return sendAuthorized({ url, method: "GET", headers, agent, signal, ...(onSent && { onSent }) }, authorizer);
  }

  async function endSession(): Promise<void> {
    if (sessionId === undefined) return;
    try {
      const headers = await commonHeaders();
      const call = { url, method: "DELETE", headers, agent, signal: AbortSignal.timeout(2000) } as const;
      (await sendAuthorized(call, authorizer)).resume();
    } catch {
      // The server is not reachable, so it can't keep the session either.
    }
  }

  /** Whether the user chose the session, as for an app proxy. The server's own id must not replace it then. */
  async function isSessionConfigured(): Promise<boolean> {
    return Object.keys(await options.headers()).some((name) => name.toLowerCase() === "mcp-session-id");
  }

  async function commonHeaders(): Promise<OutgoingHttpHeaders> {
    return { ...(await options.headers()), ...sessionHeaders() };
  }

  function sessionHeaders(): OutgoingHttpHeaders {
    return {
      ...(sessionId === undefined ? {} : { "mcp-session-id": sessionId }),
      ...(version === undefined ? {} : { "mcp-protocol-version": version }),
    };
  }

  /** Passes on the messages of a text. Returns whether the answer to `id` was among them. */
  function deliver(text: string, id: JsonRpcId | undefined, abort: LazyAbort): boolean | Promise<boolean> {
    let isAnswered = false;
    const onRefused: OnRefused = (refused, fault) => {
      isAnswered ||= refused === id;
      listener.onLost(refused, fault);
    };
    const pass = (messages: readonly JsonRpcMessage[]): boolean => {
      for (const message of messages) {
        const isAnswer = isAnswerTo(message, id);
        isAnswered ||= isAnswer;
        // An error without an id belongs to the request it came for.
        listener.onMessage(isAnswer && id !== undefined ? { ...message, id } : message, id);
      }
      return isAnswered;
    };
    if (text.length <= maxAtOnce) return pass(readMessages(text, log, onRefused, id));
    return inSlices(readMessagesInSlices(text, log, onRefused, id), abort.signal).then(pass);
  }
}

/**
 * The server may have closed an idle connection without this process having read that yet. A call sent over it would
 * have an unknown outcome. One turn of the event loop reads the end, the next one closes the socket.
 */
async function processPendingCloses(): Promise<void> {
  await nextTurn();
  await nextTurn();
}

function tryParseJson(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/** How long a server that is too busy asks to wait. Undefined if it does not say. */
function pauseOf({ statusCode, headers }: IncomingMessage): number | undefined {
  return statusCode === 429 || statusCode === 503 ? retryAfterMs(headers["retry-after"], Date.now()) : undefined;
}
