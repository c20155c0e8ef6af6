import type { Agent, IncomingMessage } from "node:http";
import { Fault } from "../../core/fault.ts";
import type { Log } from "../../core/log.ts";
import type { JsonRpcMessage } from "../json-rpc.ts";
import type { ClientTransport, TransportListener } from "./client-transport.ts";
import { createEventReader } from "./event-reader.ts";
import { readMessages } from "./read-messages.ts";
import { refusalOf } from "./refusal.ts";
import { readText, sendHttp } from "./send-http.ts";

export interface SseTransportOptions {
  readonly url: URL;
  readonly headers: () => Promise<Readonly<Record<string, string>>> | Readonly<Record<string, string>>;
  readonly agent: Agent;
  readonly log: Log;
  readonly maxMessageBytes: number;
}

/** HTTP+SSE of 2024-11-05: one stream for everything that comes, which first says where to POST what goes. */
export function createSseTransport(options: SseTransportOptions): ClientTransport {
  const { url, agent, log, maxMessageBytes } = options;
  const closing = new AbortController();
  let target: URL | undefined;
  let listener: TransportListener;

  return {
    cancelsByClosing: false,
    sessionId: undefined,
    settle: () => {},
    async start(given) {
      listener = given;
      const headers = { ...(await options.headers()), accept: "text/event-stream" };
      const response = await sendHttp({ url, method: "GET", headers, agent, signal: closing.signal });
      if (response.statusCode !== 200 || !(response.headers["content-type"] ?? "").startsWith("text/event-stream")) {
        throw refusalOf(
          response.statusCode ?? 0,
          await readText(response, 10_000),
          response.headers["www-authenticate"],
          false,
        );
      }
      await new Promise<void>((resolve, reject) => {
        void follow(response, resolve).then(() => {
          const fault = new Fault("outcome-unknown", "The server closed its stream.");
          reject(fault);
          if (!closing.signal.aborted) listener.onClose(fault);
          return undefined;
        });
      });
    },
    async send(message, { signal } = {}) {
      if (!target) throw new Fault("unavailable", "The server has not said where to send messages.");
      const headers = { ...(await options.headers()), "content-type": "application/json" };
      const stop = signal ? AbortSignal.any([closing.signal, signal]) : closing.signal;
      const response = await sendHttp({
        url: target,
        method: "POST",
        headers,
        body: JSON.stringify(message),
        agent,
        signal: stop,
      });
      if ((response.statusCode ?? 0) < 300) response.resume();
      else
        throw refusalOf(
          response.statusCode ?? 0,
          await readText(response, 10_000),
          response.headers["www-authenticate"],
          true,
        );
    },
    close() {
      closing.abort();
      return Promise.resolve();
    },
  };

  async function follow(response: IncomingMessage, onTarget: () => void): Promise<void> {
    const reader = createEventReader(({ event, data }) => {
      if (event === "endpoint") {
        target = sameOrigin(data, url);
        onTarget();
      } else for (const message of readMessages(data, log)) deliver(message);
    }, maxMessageBytes);
    response.setEncoding("utf8");
    try {
      for await (const text of response as AsyncIterable<string>) reader.push(text);
    } catch (error) {
      if (!closing.signal.aborted) log.debug("the stream of the server broke", { error });
    }
  }

  function deliver(message: JsonRpcMessage): void {
    listener.onMessage(message, undefined);
  }
}

/** A server may not send our messages, and the keys in their headers, to another one. */
function sameOrigin(endpoint: string, url: URL): URL {
  const target = new URL(endpoint, url);
  if (target.origin !== url.origin)
    throw new Fault("denied", `The server ${url.host} wants messages sent to ${target.host}. Refused.`);
  return target;
}
