import {
  type Agent,
  type ClientRequest,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request as requestHttp,
  type RequestOptions,
} from "node:http";
import { request as requestHttps } from "node:https";
import { urlToHttpOptions } from "node:url";
import { Fault, isFault } from "../fault.ts";
import { inSlices, maxAtOnce } from "../slices/in-slices.ts";
import { decodeInSlices } from "../slices/text-slices.ts";
import { endWithText } from "./end-with-text.ts";
import { atTurnEnd } from "./turn-end.ts";
import { type Abort, type AbortListener, abortOf, type LazyAbort } from "../lazy-abort.ts";

export interface HttpCall {
  readonly url: URL;
  readonly method: "POST" | "GET" | "DELETE";
  readonly headers: OutgoingHttpHeaders;
  /** As a function it is made when it is sent, so that nothing holds it while the answer is awaited. */
  readonly body?: string | (() => string) | undefined;
  readonly agent: Agent;
  readonly signal?: AbortSignal | undefined;
  /** Instead of `signal`, where no AbortSignal is needed. */
  readonly abort?: LazyAbort | undefined;
  /** Called when the request has been sent. */
  onSent?(): void;
}

const maxRedirects = 3;

/**
 * Sends one request and resolves with the head of its response. A failure says what is known: `unavailable` if not a byte
 * of the request can have reached the server, `outcome-unknown` if some may have. Follows redirects within the same server
 * without changing the request: many answer `/mcp` with a redirect to `/mcp/`.
 */
export async function sendHttp(call: HttpCall): Promise<IncomingMessage> {
  let { url } = call;
  for (let count = 0; ; count++) {
    const response = await sendOnce(call, url);
    const target = redirectOf(response, url);
    if (target === undefined || count === maxRedirects) return response;
    response.resume();
    if (target.origin !== url.origin) {
      throw new Fault(
        "denied",
        `${url.host} redirects to ${target.host}. If that is right, put its address into the configuration.`,
      );
    }
    url = target;
  }
}

function redirectOf({ statusCode, headers }: IncomingMessage, url: URL): URL | undefined {
  const isRedirect = statusCode === 301 || statusCode === 302 || statusCode === 307 || statusCode === 308;
  return isRedirect && headers.location !== undefined
    ? (URL.parse(headers.location, url.href) ?? undefined)
    : undefined;
}

function sendOnce(call: HttpCall, url: URL): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const { method, headers, agent, abort = call.signal && abortOf({ signal: call.signal }) } = call;
    let body = typeof call.body === "function" ? call.body() : call.body;
    const bytes = body === undefined ? undefined : Buffer.byteLength(body);
    const isSecure = url.protocol === "https:";
    const send = isSecure ? requestHttps : requestHttp;
    const request = send({ ...addressOf(url), method, headers: withLength(headers, bytes), agent }, resolve);
    if (abort) followAbort(request, abort, reject);
    let isConnected = false;
    request.once("socket", (socket) => {
      if (!socket.connecting) isConnected = true;
      // With TLS the request is sent after the handshake, which comes after this event.
      else socket.once(isSecure ? "secureConnect" : "connect", () => (isConnected = true));
    });
    if (call.onSent) request.once("finish", () => call.onSent?.());
    request.on("error", (cause) => reject(failureOf(cause, request, isConnected, url)));
    // The audit has a call before it leaves, and gets all that leave in this turn at once.
    atTurnEnd(() => {
      if (!request.destroyed) endWithText(request, body, bytes);
      body = undefined;
    });
  });
}

const addresses = new WeakMap<URL, RequestOptions>();

/** Taking a URL apart costs more than all else before the request is written. */
function addressOf(url: URL): RequestOptions {
  let found = addresses.get(url);
  if (!found) addresses.set(url, (found = urlToHttpOptions(url)));
  return found;
}

function withLength(headers: OutgoingHttpHeaders, bytes: number | undefined): OutgoingHttpHeaders {
  return bytes === undefined ? headers : { ...headers, "content-length": bytes };
}

/**
 * Not Node's own `signal`, which destroys the request with an error: at the end of the response, that error is emitted on
 * a socket without listeners and crashes the process.
 */
function followAbort(request: ClientRequest, abort: Abort, onAbort: (fault: Fault) => void): void {
  const listener: AbortListener = {
    handleEvent() {
      onAbort(new Fault("cancelled", "The request was cancelled."));
      request.destroy();
    },
  };
  if (abort.aborted) return listener.handleEvent();
  abort.listen(listener);
  request.once("close", () => abort.unlisten(listener));
}

const unknownHostCodes: readonly string[] = ["ENOTFOUND", "EAI_AGAIN", "ENETUNREACH"];

function failureOf(cause: NodeJS.ErrnoException, request: ClientRequest, isConnected: boolean, url: URL): Fault {
  // The agent refused to connect.
  if (isFault(cause)) return cause;
  const why = cause.code ?? cause.message;
  if (!isConnected) {
    const hint = unknownHostCodes.includes(why) ? "Check the address and your network." : "Is the server running?";
    return new Fault("unavailable", `${url.host} can't be reached (${why}). ${hint}`, { cause });
  }
  const how = request.reusedSocket ? "closed the connection" : "broke off";
  return new Fault("outcome-unknown", `${url.host} ${how} before it answered (${why}).`, { cause });
}

/** The text of a response, up to a limit. Reads by events, which costs a small answer less than `for await`. */
export function readText(response: IncomingMessage, maxBytes: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const broken = (cause?: Error) =>
      reject(new Fault("outcome-unknown", "The server closed the connection in the middle of its answer.", { cause }));
    response.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size <= maxBytes) return void chunks.push(chunk);
      reject(tooLarge(maxBytes));
      response.destroy();
    });
    response.on("end", () => {
      if (size > maxAtOnce) return resolve(inSlices(decodeInSlices(chunks)));
      resolve((chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)).toString("utf8"));
      // The connection holds the response, and with it this list, until the next one arrives.
      chunks.length = 0;
    });
    response.on("error", broken);
    response.on("close", () => response.readableEnded || broken());
  });
}

export function tooLarge(maxBytes: number): Fault {
  return new Fault("too-large", `The server's answer is larger than the ${maxBytes} bytes taken here.`);
}

export function isEventStream({ statusCode, headers }: IncomingMessage): boolean {
  return statusCode === 200 && (headers["content-type"] ?? "").startsWith("text/event-stream");
}

/** The `Retry-After` header in milliseconds from now: it has seconds or a date (RFC 9110 § 10.2.3). */
export function retryAfterMs(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined;
  if (/^\d{1,6}$/.test(value)) return Number(value) * 1000;
  // All three forms of a date begin with the day of the week; `Date.parse` would accept "-5" as one.
  const date = /^[A-Z][a-z]/.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
