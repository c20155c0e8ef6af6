import { createServer, type IncomingHttpHeaders } from "node:http";
import { buffer } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";
import { listenHere } from "./listen-here.ts";

export interface Received {
  readonly path: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: ReturnType<typeof JSON.parse>;
}

export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly status: { readonly code?: number; readonly message?: string };
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** A collector that keeps what it gets. `statuses` are its first answers; then it says 200. */
export async function startCollector(statuses: number[] = [], answer: Record<string, string> = {}) {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const bytes = await buffer(request);
      const text = request.headers["content-encoding"] === "gzip" ? gunzipSync(bytes) : bytes;
      received.push({ path: request.url, headers: request.headers, body: JSON.parse(text.toString()) });
      response.writeHead(statuses.shift() ?? 200, { "content-type": "application/json", ...answer }).end("{}");
    })();
  });
  const listening = await listenHere(server);
  return {
    url: listening.origin,
    received,
    spans: (): ReceivedSpan[] =>
      received
        .flatMap(({ body }) => body.resourceSpans ?? [])
        .flatMap(({ scopeSpans }) => scopeSpans[0].spans)
        .map((span) => ({ ...span, attributes: attributesOf(span.attributes) })),
    [Symbol.asyncDispose]: () => listening[Symbol.asyncDispose](),
  };
}

export function attributesOf(list: { key: string; value: Record<string, unknown> }[]): Record<string, unknown> {
  return Object.fromEntries(list.map(({ key, value }) => [key, Object.values(value)[0]]));
}
