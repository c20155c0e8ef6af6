import { Fault } from "../../../core/fault.ts";
import type { ClientTransport } from "../../../mcp/client/client-transport.ts";
import { createHttpTransport } from "../../../mcp/client/http-transport.ts";
import { createSseTransport } from "../../../mcp/client/sse-transport.ts";
import { createHttpAgent } from "./http-agent.ts";
import type { LinkOptions } from "./link.ts";

/** How an HTTP server is reached. A module of its own, since stdio servers don't need what it loads. */
type TransportOptions = Pick<LinkOptions, "definition" | "env" | "log" | "authorizer">;

export function openHttp(options: TransportOptions): ClientTransport {
  return createHttpTransport(httpOptions(options));
}

/** HTTP+SSE of 2024-11-05. */
export function openSse(options: TransportOptions): ClientTransport {
  return createSseTransport(httpOptions(options));
}

function httpOptions({ definition, env, log, authorizer }: TransportOptions) {
  const { transport, maxMessageBytes } = definition;
  if (transport.kind !== "http") throw new Fault("internal", "not an HTTP server");
  const { url, headers, apiKey, tls } = transport;
  const allHeaders = apiKey === undefined ? headers : { ...headers, authorization: `Bearer ${apiKey.reveal()}` };
  const agent = createHttpAgent(url, tls, env);
  return { url, headers: () => allHeaders, authorizer, agent, log, maxMessageBytes };
}
