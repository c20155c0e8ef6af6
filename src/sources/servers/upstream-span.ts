import { asRecord } from "../../core/is-record.ts";
import { describeMcpRequest, toolErrorType } from "../../core/telemetry/mcp-span.ts";
import type { Span } from "../../core/telemetry/telemetry.ts";
import { type Params, RpcFault } from "../../mcp/messages/json-rpc.ts";
import type { ServerDefinition } from "./definition.ts";

/** Sends one request to a server as a part of the call's trace. `send` gets the span that the server's own spans belong to. */
export async function traceUpstream(
  parent: Span,
  definition: ServerDefinition,
  method: string,
  params: Params,
  send: (span: Span) => Promise<Params>,
): Promise<Params> {
  const target = params.name ?? params.uri;
  const { name, attributes } = describeMcpRequest(method, typeof target === "string" ? target : "");
  const span = parent.startChild(name, {
    kind: "client",
    attributes: { ...attributes, "clawport.source": definition.name, ...networkOf(definition) },
  });
  try {
    const result = await send(span);
    if (result.isError === true) span.recordFailure(toolErrorType);
    return result;
  } catch (error) {
    span.recordError(error);
    if (error instanceof RpcFault) span.setAttribute("rpc.response.status_code", String(asRecord(error.error).code));
    throw error;
  } finally {
    span.end();
  }
}

function networkOf({ transport }: ServerDefinition): Record<string, string | number> {
  if (transport.kind === "stdio") return { "network.transport": "pipe" };
  const { hostname, port, protocol } = transport.url;
  return {
    "network.transport": "tcp",
    "network.protocol.name": "http",
    "server.address": hostname,
    "server.port": port === "" ? (protocol === "https:" ? 443 : 80) : Number(port),
  };
}
