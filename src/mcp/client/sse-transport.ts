import type { IncomingMessage } from "node:http";
import { Fault } from "../../core/fault.ts";
import { isEventStream, readText, tooLarge } from "../../core/http/send-http.ts";
import { quoted } from "../../core/text/peer-text.ts";
import { inSlices, maxAtOnce } from "../../core/slices/in-slices.ts";
import { cancelledBy } from "../../core/wait.ts";
import { sendAuthorized } from "./authorizer.ts";
import type { JsonRpcMessage } from "../messages/json-rpc.ts";
import type { ClientTransport, TransportListener } from "./client-transport.ts";
import { createEventReader } from "./event-reader.ts";
import { refusalOf } from "./http-refusal.ts";
import type { HttpTransportOptions } from "./http-transport.ts";
import { type OnRefused, readMessages, readMessagesInSlices } from "./read-messages.ts";

/** HTTP+SSE of 2024-11-05: one stream for all incoming messages. Its first event says where to POST outgoing ones. */
export function createSseTransport(options: HttpTransportOptions): ClientTransport {
  const { url, authorizer, agent, log, maxMessageBytes } = options;
  const closing = new AbortController();
  let target: URL | undefined;
  let listener: TransportListener;

  return {
    cancelsByClosing: false,
    sessionId: undefined,
    settle: () => {},
    async start(given, signal) {
      listener = given;
      const headers = { ...(await options.headers()), accept: "text/event-stream" };
      const giveUp = () => closing.abort();
      signal?.addEventListener("abort", giveUp, { once: true });
      try {
        const call = { url, method: "GET", headers, agent, signal: closing.signal } as const;
        await open(await sendAuthorized(call, authorizer));
      } catch (error) {
        throw signal?.aborted ? cancelledBy(signal) : error;
      } finally {
        signal?.removeEventListener("abort", giveUp);
      }
    },
    async send(message, sendOptions = {}) {
      const signal = sendOptions.abort?.signal;
      if (!target) throw new Fault("unavailable", "The server has not named its endpoint for messages.");
      const headers = { ...(await options.headers()), "content-type": "application/json", ...sendOptions.headers };
      const stop = signal ? AbortSignal.any([closing.signal, signal]) : closing.signal;
      const body = JSON.stringify(message);
      const call = { url: target, method: "POST", headers, body, agent, signal: stop } as const;
      const response = await sendAuthorized(call, authorizer);
      if ((response.statusCode ?? 0) < 300) response.resume();
      else throw refusalOf(response, await readText(response, maxMessageBytes), "session");
    },
    close() {
      closing.abort();
      agent.destroy();
      return Promise.resolve();
    },
  };

  /** Resolves when the server has named its endpoint for messages. The stream is read on until it ends. */
  async function open(response: IncomingMessage): Promise<void> {
    if (!isEventStream(response)) throw refusalOf(response, await readText(response, maxMessageBytes), "none");
    await new Promise<void>((resolve, reject) => {
      void follow(response, resolve).then((fault) => {
        reject(fault);
        if (!closing.signal.aborted) listener.onClose(fault);
        return undefined;
      });
    });
  }

  /** Reads the stream, and resolves to the reason of its end. */
  async function follow(response: IncomingMessage, onTarget: () => void): Promise<Fault> {
    const onRefused: OnRefused = (id, fault) => listener.onLost(id, fault);
    const deliver = (messages: readonly JsonRpcMessage[]): void => {
      for (const message of messages) listener.onMessage(message, undefined);
    };
    const reader = createEventReader(({ event, data }) => {
      if (event === "endpoint") {
        target = sameOrigin(data, url);
        onTarget();
      } else if (data.length > maxAtOnce)
        return inSlices(readMessagesInSlices(data, log, onRefused), closing.signal).then(deliver);
      else deliver(readMessages(data, log, onRefused));
      return undefined;
    }, maxMessageBytes);
    response.setEncoding("utf8");
    try {
      for await (const text of response as AsyncIterable<string>) {
        const taking = reader.push(text);
        if (taking) await taking;
      }
      return new Fault("outcome-unknown", "The server closed the event stream.");
    } catch (cause) {
      response.destroy();
      if (cause instanceof Fault) return cause;
      if (cause instanceof RangeError) return tooLarge(maxMessageBytes);
      return new Fault("outcome-unknown", "The event stream broke.", { cause });
    }
  }
}

/** A server must not redirect messages, and the credentials in their headers, to another server. */
function sameOrigin(endpoint: string, url: URL): URL {
  const target = URL.parse(endpoint, url.href);
  if (target?.origin !== url.origin) {
    throw new Fault("denied", `Refused to send messages for ${url.host} to ${quoted(endpoint)}, as it requested.`);
  }
  return target;
}
