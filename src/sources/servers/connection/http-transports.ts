import { Fault } from "../../../core/fault.ts";
import { createSocketAgent } from "../../../core/http/socket-agent.ts";
import type { Log } from "../../../core/log.ts";
import type { Env } from "../../../core/process/child-env.ts";
import type { Authorizer } from "../../../mcp/client/authorizer.ts";
import type { ClientTransport } from "../../../mcp/client/client-transport.ts";
import { createHttpTransport } from "../../../mcp/client/http-transport.ts";
import { createSseTransport } from "../../../mcp/client/sse-transport.ts";
import type { ServerDefinition } from "../definition.ts";
import { createHttpAgent } from "./http-agent.ts";

export interface TransportOptions {
  readonly definition: Pick<ServerDefinition, "transport" | "maxMessageBytes">;
  readonly env: Env;
  readonly log: Log;
  readonly authorizer?: Authorizer | undefined;
}

/** How an HTTP server is reached. A module of its own, since stdio servers don't need what it loads. */
export function openHttpTransport(options: TransportOptions): ClientTransport {
  return createHttpTransport(httpOptions(options));
}

/** HTTP+SSE of 2024-11-05. */
export function openSse(options: TransportOptions): ClientTransport {
  return createSseTransport(httpOptions(options));
}

function httpOptions({ definition, env, log, authorizer }: TransportOptions) {
  const { transport, maxMessageBytes } = definition;
  if (transport.kind !== "http") throw new Fault("internal", "not an HTTP server");
  const { url, socket, headers, apiKey, tls } = transport;
  const allHeaders = apiKey === undefined ? headers : { ...headers, authorization: `Bearer ${apiKey.reveal()}` };
  const agent = socket === undefined ? createHttpAgent(url, tls, env) : createSocketAgent(socket);
  return { url, headers: () => allHeaders, authorizer, agent, log, maxMessageBytes };
}
