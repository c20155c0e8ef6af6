import type { Agent, IncomingMessage, OutgoingHttpHeaders } from "node:http";
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { Fault, isFault } from "../../core/fault.ts";
import { isEventStream, readText, retryAfterMs, tooLarge } from "../../core/http/send-http.ts";
import type { Log } from "../../core/log.ts";
import { idOf, isRequest, type JsonRpcId, type JsonRpcMessage } from "../messages/json-rpc.ts";
import { mirrorHeaders } from "../messages/mirrored-headers.ts";
import { type Authorizer, sendAuthorized } from "./authorizer.ts";
import type { ClientTransport, SendOptions, TransportListener } from "./client-transport.ts";
import { createEventReader } from "./event-reader.ts";
import { refusalOf } from "./http-refusal.ts";
import { isAnswerTo, readMessages } from "./read-messages.ts";

export interface HttpTransportOptions {
  readonly url: URL;
  /** Sent with every request; read each time, since a token among them may have been renewed. */
  readonly headers: () => Promise<Readonly<Record<string, string>>> | Readonly<Record<string, string>>;
  /** Where the server wants more than fixed headers. */
  readonly authorizer?: Authorizer | undefined;
  /** This transport's own: it is destroyed with it. */
  readonly agent: Agent;
  readonly log: Log;
  /** The largest message taken from the server. */
  readonly maxMessageBytes: number;
}

/** How often in a row a stream is picked up again without anything new on it, before it counts as lost. */
const mostResumes = 3;
/** How long a stream may stay open after it has brought its answer. */
const graceMs = 1000;
/** How long a server that says "too busy" is waited for in all. */
const mostPatienceMs = 30_000;

/** Streamable HTTP in both eras, straight on `node:http`. */
export function createHttpTransport(options: HttpTransportOptions): ClientTransport {
  const { url, authorizer, agent, log, maxMessageBytes } = options;
  const closing = new AbortController();
  let listener: TransportListener;
  /** Settled in the era of sessions only: streams can be picked up there, and there alone. */
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
      const { signal = closing.signal } = sendOptions;
      if (sending === 0) await catchUp();
      sending++;
      try {
        const response = await postPatiently(message, sendOptions, signal);
        await receive(response, message, signal);
      } finally {
        sending--;
      }
      if ("method" in message && message.method === "notifications/initialized") {
        // Asked for before the first call: a server may take a later one for the rest of that call's stream.
        await new Promise<void>((resolve) => void listen(resolve));
      }
    },
    async close() {
      if (closing.signal.aborted) return;
      await endSession();
      closing.abort();
      agent.destroy();
    },
  };

  /** 429 and 503 mean that the server did not take the request, so sending it again is no repetition. */
  async function postPatiently(
    message: JsonRpcMessage,
    sendOptions: SendOptions,
    signal: AbortSignal,
  ): Promise<IncomingMessage> {
    const started = Date.now();
    const body = JSON.stringify(message);
    const own = {
      accept: "application/json, text/event-stream",
      "content-type": "application/json",
      ...mirrorHeaders(message),
      ...sendOptions.headers,
    };
    for (;;) {
      const headers = { ...(await commonHeaders()), ...own };
      const call = { url, method: "POST", headers, body, agent, signal } as const;
      const response = await sendAuthorized(call, authorizer);
      const wait = pauseOf(response);
      if (wait === undefined || Date.now() - started + wait > mostPatienceMs) return response;
      response.resume();
      log.info("the server asks to wait", { status: response.statusCode, waitMs: wait });
      sendOptions.onPause?.(wait);
      await sleep(wait, undefined, { signal });
    }
  }

  async function receive(response: IncomingMessage, sent: JsonRpcMessage, signal: AbortSignal): Promise<void> {
    const status = response.statusCode ?? 0;
    const isInitialize = isRequest(sent) && sent.method === "initialize";
    if (isInitialize && typeof response.headers["mcp-session-id"] === "string")
      sessionId = response.headers["mcp-session-id"];
    const id = isRequest(sent) ? sent.id : undefined;
    if (status === 202 || status === 204) {
      response.resume();
      return;
    }
    if (isEventStream(response)) {
      // The stream may last as long as the call: the message counts as sent when the server has taken it.
      void follow(response, id, signal);
      return;
    }
    const text = await readText(response, maxMessageBytes);
    if (status === 200) {
      if (!deliver(text, id) && id !== undefined)
        throw new Fault("outcome-unknown", "The server answered with something that is no answer.");
      return;
    }
    // Modern servers tell protocol errors with an HTTP status of their own; the body is the answer all the same. What an
    // older one says to a request it does not understand names no id.
    const isModern = "mcp-method" in mirrorHeaders(sent);
    const isJson = (response.headers["content-type"] ?? "").includes("json");
    if (id !== undefined && isModern && isJson && idOf(parsed(text)) === id && deliver(text, id)) return;
    const isFirst = isInitialize || ("method" in sent && sent.method === "server/discover");
    throw refusalOf(
      response,
      text,
      isFirst ? "none" : isModern ? "modern" : sessionId === undefined ? "none" : "session",
    );
  }

  /** Reads the stream that answers a request, and picks it up where it was cut, where the server lets us. */
  async function follow(first: IncomingMessage, id: JsonRpcId | undefined, signal: AbortSignal): Promise<void> {
    let answered = false;
    const fault = await readOn(first, signal, (text) => {
      if (deliver(text, id)) answered = true;
      return !answered;
    });
    if (!answered && !signal.aborted && id !== undefined) listener.onLost(id, fault);
  }

  /** The stream for what belongs to no request. Servers need not have one; where it breaks it is opened again. */
  async function listen(onSent: () => void): Promise<void> {
    let failures = 0;
    if (closing.signal.aborted) onSent();
    while (!closing.signal.aborted) {
      const response = await get(undefined, closing.signal, onSent).catch((error: unknown) =>
        isFault(error, "unauthorized") ? "refused" : undefined,
      );
      onSent();
      // Each time it is asked may cost a refresh token; the next connection tries again.
      if (response === "refused") return;
      if (response && !isEventStream(response)) {
        response.resume();
        return;
      }
      failures = response ? 0 : failures + 1;
      if (response) await readOn(response, closing.signal, (text) => (deliver(text, undefined), true));
      const wait = Math.min(1000 * 2 ** failures, 60_000);
      await sleep(wait, undefined, { signal: closing.signal, ref: false }).catch(() => {});
    }
  }

  /**
   * Hands on the data of a stream, and of those that continue it after a cut, until `take` says that it has enough. The
   * fault says why there was no more.
   */
  async function readOn(first: IncomingMessage, signal: AbortSignal, take: (data: string) => boolean): Promise<Fault> {
    let response: IncomingMessage | undefined = first;
    let lastEventId: string | undefined;
    let retryMs = 1000;
    let failures = 0;
    let wantsMore = true;
    for (;;) {
      failures++;
      if (response) {
        const current = response;
        let linger: NodeJS.Timeout | undefined;
        const reader = createEventReader(({ data }) => {
          failures = 0;
          if (take(data)) return;
          wantsMore = false;
          // It should end here. One that does not would hold its connection for ever.
          linger = setTimeout(() => current.destroy(), graceMs).unref();
        }, maxMessageBytes);
        const problem = await readStream(current, reader.push);
        clearTimeout(linger);
        if (problem instanceof RangeError) return tooLarge(maxMessageBytes);
        if (reader.lastId() !== lastEventId && reader.lastId() !== undefined) failures = 0;
        lastEventId = reader.lastId() ?? lastEventId;
        retryMs = reader.retryMs() ?? retryMs;
      }
      const mayResume = lastEventId !== undefined && version !== undefined && failures <= mostResumes;
      if (!wantsMore || !mayResume || signal.aborted || closing.signal.aborted) return cut();
      const wait = Math.min(retryMs * 2 ** failures, 30_000);
      await sleep(wait, undefined, { signal, ref: false }).catch(() => {});
      response = await get(lastEventId, signal).catch(() => undefined);
      if (response && !isEventStream(response)) {
        response.resume();
        return cut();
      }
    }
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
      // The server is gone, and the session with it.
    }
  }

  async function commonHeaders(): Promise<OutgoingHttpHeaders> {
    return {
      ...(await options.headers()),
      ...(sessionId === undefined ? {} : { "mcp-session-id": sessionId }),
      ...(version === undefined ? {} : { "mcp-protocol-version": version }),
    };
  }

  /** Hands on the messages of a text. Says whether the answer to `id` was among them. */
  function deliver(text: string, id: JsonRpcId | undefined): boolean {
    let answered = false;
    for (const message of readMessages(text, log)) {
      const own = isAnswerTo(message, id);
      answered ||= own;
      // An error whose id the server could not read belongs to the request it came for.
      listener.onMessage(own && id !== undefined ? { ...message, id } : message, id);
    }
    return answered;
  }
}

const cut = () => new Fault("outcome-unknown", "The connection was cut before the answer came.");

/**
 * What came in while nobody looked has to be known before an idle connection is used: else a call goes to one whose end
 * has arrived, and nobody can say whether it ran. One turn of the loop reads the end, the next one closes the socket.
 */
async function catchUp(): Promise<void> {
  await nextTurn();
  await nextTurn();
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** How long a server that took nothing wants us to wait, where it says so. */
function pauseOf({ statusCode, headers }: IncomingMessage): number | undefined {
  return statusCode === 429 || statusCode === 503 ? retryAfterMs(headers["retry-after"], Date.now()) : undefined;
}

/** Reads to the end or the break of a stream, which is the caller's to judge; what the reader threw is returned. */
async function readStream(response: IncomingMessage, push: (text: string) => void): Promise<unknown> {
  response.setEncoding("utf8");
  try {
    for await (const text of response as AsyncIterable<string>) push(text);
    return undefined;
  } catch (error) {
    response.destroy();
    return error;
  }
}
