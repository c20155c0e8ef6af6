import type { CallContext } from "../../catalog/call-context.ts";
import { createSocketAgent } from "../../core/http/socket-agent.ts";
import type { Log } from "../../core/log.ts";
import type { CallOptions } from "../../mcp/client/call-options.ts";
import { negotiate } from "../../mcp/client/handshake.ts";
import { createHttpTransport } from "../../mcp/client/http-transport.ts";
import { type McpClient, openMcpClient } from "../../mcp/client/mcp-client.ts";
import { stripEnvelope } from "../../mcp/messages/envelope.ts";
import type { ToolResult } from "../../mcp/messages/tool.ts";
import type { RunningHub } from "../state/find-hub.ts";

export interface HubClientOptions {
  readonly url: URL;
  /** As what the hub sees the caller. */
  readonly info: { readonly name: string; readonly version: string };
  readonly capabilities: Readonly<Record<string, unknown>>;
  readonly log: Log;
  readonly handshakeMs: number;
  readonly signal: AbortSignal;
}

/** A running hub as an MCP server, for calls of this process. Its guard judges them as it would without a hub. */
export interface HubClient extends AsyncDisposable {
  readonly agreement: Awaited<ReturnType<typeof negotiate>>;
  call(
    params: { readonly name: string; readonly arguments: object },
    context: CallContext,
    more?: Partial<CallOptions>,
  ): Promise<ToolResult>;
}

/** What a caller says that can answer questions. */
export const asksBack = { elicitation: { form: {}, url: {} } };

export async function openHubClient(hub: RunningHub, options: HubClientOptions): Promise<HubClient> {
  const { url, log, handshakeMs: timeoutMs, signal, ...identity } = options;
  const agent = createSocketAgent(hub.socket);
  const headers = () => ({ authorization: `Bearer ${hub.key.reveal()}` });
  const transport = createHttpTransport({ url, headers, agent, log, maxMessageBytes: 512 * 1024 * 1024 });
  let opened: McpClient | undefined;
  const close = async (): Promise<void> => {
    await (opened ?? transport).close();
    agent.destroy();
  };
  try {
    const client = await openMcpClient(transport, { ...identity, log });
    opened = client;
    const terms = { ...identity, timeoutMs, silenceMeansLegacy: false, signal };
    return {
      agreement: await negotiate(client, transport, terms),
      async call(params, context, more) {
        const result = await client.request("tools/call", params, {
          signal: context.signal,
          // The hub applies the time limits of its servers, and stops an order whose agent is silent.
          timeoutMs: 0,
          logLevel: context.logLevel,
          toHub: true,
          onProgress: (progress) => context.progress(progress),
          onLog: (line) => context.tell(line),
          ask: (question, key) => context.ask(question, key),
          ...more,
        });
        return stripEnvelope(result) as unknown as ToolResult;
      },
      [Symbol.asyncDispose]: close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
