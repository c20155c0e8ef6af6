import type { Agent, IncomingMessage, OutgoingHttpHeaders } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { Fault, isFault } from "../../core/fault.ts";
import type { Log } from "../../core/log.ts";
import { isRequest, type JsonRpcId, type JsonRpcMessage } from "../json-rpc.ts";
import type { ClientTransport, SendOptions, TransportListener } from "./client-transport.ts";
import { createEventReader } from "./event-reader.ts";
import { isAnswerTo, readMessages } from "./read-messages.ts";
import { mirrorHeaders } from "./mirror-headers.ts";
import { readText, sendHttp } from "./send-http.ts";
import { refusalOf } from "./refusal.ts";
import { retryAfterMs } from "./retry-after.ts";

export interface HttpTransportOptions {
  readonly url: URL;
  /** Sent with every request; read each time, since a token among them may have been renewed. */
  readonly headers: () => Promise<Readonly<Record<string, string>>> | Readonly<Record<string, string>>;
  readonly agent: Agent;
  readonly log: Log;
  /** The largest message taken from the server. */
  readonly maxMessageBytes: number;
}

/** How often in a row a stream that was cut is picked up again before the call counts as lost. */
const mostResumes = 5;
/** How long a server that says "too busy" is waited for in all. */
const mostPatienceMs = 30_000;

/** Streamable HTTP in both eras, straight on `node:http`. */
export function createHttpTransport(options: HttpTransportOptions): ClientTransport {
  const { url, agent, log, maxMessageBytes } = options;
  const closing = new AbortController();
  let listener: TransportListener;
  let version: string | undefined;
  let sessionId: string | undefined;

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
      const signal = sendOptions.signal ? AbortSignal.any([closing.signal, sendOptions.signal]) : closing.signal;
      const response = await postPatiently(message, sendOptions, signal);
      await receive(response, message, signal);
    },
    async close() {
      if (closing.signal.aborted) return;
      await endSession();
      closing.abort();
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
      const response = await sendHttp({ url, method: "POST", headers, body, agent, signal });
      if (response.statusCode !== 429 && response.statusCode !== 503) return response;
      const wait = retryAfterMs(response.headers["retry-after"], Date.now());
      if (wait === undefined || Date.now() - started + wait > mostPatienceMs) return response;
      response.resume();
      log.info("the server asks to wait", { status: response.statusCode, waitMs: wait });
      await sleep(wait, undefined, { signal });
    }
  }

  async function receive(response: IncomingMessage, sent: JsonRpcMessage, signal: AbortSignal): Promise<void> {
    const status = response.statusCode ?? 0;
    const type = response.headers["content-type"] ?? "";
    const isInitialize = isRequest(sent) && sent.method === "initialize";
    if (isInitialize && typeof response.headers["mcp-session-id"] === "string")
      sessionId = response.headers["mcp-session-id"];
    if (status === 202 || status === 204) {
      response.resume();
      if ("method" in sent && sent.method === "notifications/initialized") void listen(undefined, 0);
      return;
    }
    const id = isRequest(sent) ? sent.id : undefined;
    if (status === 200 && type.startsWith("text/event-stream")) {
      // The stream may last as long as the call: the message counts as sent when the server has taken it.
      void follow(response, id, signal);
      return;
    }
    const text = await readText(response, maxMessageBytes);
    if (status === 200) {
      if (!deliver(text, id) && id !== undefined)
        throw new Fault("unavailable", "The server answered with something that is no answer.");
      return;
    }
    // Modern servers tell protocol errors with an HTTP status of their own; the body is the answer all the same.
    if (id !== undefined && "mcp-method" in mirrorHeaders(sent) && type.includes("json") && deliver(text, id)) return;
    throw refusalOf(status, text, response.headers["www-authenticate"], sessionId !== undefined && !isInitialize);
  }

  /** Reads the stream that answers a request, and picks it up where it was cut, where the server lets us. */
  async function follow(first: IncomingMessage, id: JsonRpcId | undefined, signal: AbortSignal): Promise<void> {
    let response: IncomingMessage | undefined = first;
    let lastEventId: string | undefined;
    let retryMs = 1000;
    let answered = false;
    let failures = 0;
    while (response) {
      const reader = createEventReader((event) => {
        if (deliver(event.data, id)) answered = true;
      }, maxMessageBytes);
      const problem = await readStream(response, reader.push);
      failures = reader.lastId() === undefined ? failures + 1 : 1;
      lastEventId = reader.lastId() ?? lastEventId;
      retryMs = reader.retryMs() ?? retryMs;
      if (problem) log.warn("a stream of the server could not be read", { error: problem });
      const isOver = answered || signal.aborted || failures > mostResumes;
      if (isOver || lastEventId === undefined || sessionId === undefined) break;
      response = await reopen(lastEventId, retryMs * 2 ** (failures - 1), signal);
    }
    if (!answered && !signal.aborted && id !== undefined) {
      listener.onLost(id, new Fault("outcome-unknown", "The connection was cut before the answer came."));
    }
  }

  async function reopen(
    lastEventId: string,
    waitMs: number,
    signal: AbortSignal,
  ): Promise<IncomingMessage | undefined> {
    try {
      await sleep(Math.min(waitMs, 30_000), undefined, { signal });
      const response = await get(lastEventId, signal);
      if (response.statusCode === 200) return response;
      response.resume();
    } catch (error) {
      if (!signal.aborted) log.debug("a cut stream could not be picked up", { error });
    }
    return undefined;
  }

  /** The stream for what belongs to no request. Servers need not have one; where it breaks it is opened again. */
  async function listen(lastEventId: string | undefined, failures: number): Promise<void> {
    if (closing.signal.aborted) return;
    const reader = createEventReader((event) => void deliver(event.data, undefined), maxMessageBytes);
    let failed = failures + 1;
    try {
      const response = await get(lastEventId, closing.signal);
      if (response.statusCode !== 200 || !(response.headers["content-type"] ?? "").startsWith("text/event-stream")) {
        response.resume();
        return;
      }
      failed = 0;
      await readStream(response, reader.push);
    } catch (error) {
      if (isFault(error, "cancelled")) return;
    }
    if (closing.signal.aborted || failed > mostResumes) return;
    const wait = (reader.retryMs() ?? 1000) * 2 ** failed;
    await sleep(Math.min(wait, 60_000), undefined, { signal: closing.signal, ref: false }).catch(() => {});
    return listen(reader.lastId() ?? lastEventId, failed);
  }

  async function get(lastEventId: string | undefined, signal: AbortSignal): Promise<IncomingMessage> {
    const resume = lastEventId === undefined ? {} : { "last-event-id": lastEventId };
    const headers = { ...(await commonHeaders()), accept: "text/event-stream", ...resume };
    return sendHttp({ url, method: "GET", headers, agent, signal });
  }

  async function endSession(): Promise<void> {
    if (sessionId === undefined) return;
    try {
      const headers = await commonHeaders();
      (await sendHttp({ url, method: "DELETE", headers, agent, signal: AbortSignal.timeout(2000) })).resume();
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

/** Reads to the end or the break of a stream. A break is the caller's to judge; what can't be read is returned. */
async function readStream(response: IncomingMessage, push: (text: string) => void): Promise<unknown> {
  response.setEncoding("utf8");
  try {
    for await (const text of response as AsyncIterable<string>) push(text);
    return undefined;
  } catch (error) {
    response.destroy();
    return error instanceof RangeError ? error : undefined;
  }
}
