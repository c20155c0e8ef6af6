import { Agent } from "node:http";
import { hubTerminalUrl } from "../../core/http/hub-routes.ts";
import type { Log } from "../../core/log.ts";
import { shakeHands } from "../../mcp/client/handshake.ts";
import { createHttpTransport } from "../../mcp/client/http-transport.ts";
import { type McpClient, openMcpClient } from "../../mcp/client/mcp-client.ts";
import { stripEnvelope } from "../../mcp/messages/envelope.ts";
import { paramHeaders } from "../../mcp/messages/mirrored-headers.ts";
import type { ToolResult } from "../../mcp/messages/tool.ts";
import type { ToolCaller } from "./hub-control.ts";
import type { RunningHub } from "./remote-control.ts";

export interface RemoteCallerOptions {
  readonly hub: RunningHub;
  readonly version: string;
  readonly log: Log;
  /** Whether a person is there who could be asked. */
  readonly canAsk: boolean;
}

const handshakeMs = 10_000;

/** Calls tools of a running hub as an MCP client that the hub knows for the person at a terminal, as it is without a hub. */
export function createRemoteCaller({ hub, version, log, canAsk }: RemoteCallerOptions): ToolCaller {
  return {
    async call(tool, args, context) {
      const agent = new Agent({ keepAlive: true });
      const transport = createHttpTransport({
        url: hubTerminalUrl(hub.address),
        headers: () => ({ authorization: `Bearer ${hub.token.reveal()}` }),
        agent,
        log,
        maxMessageBytes: 512 * 1024 * 1024,
      });
      const info = { name: "clawport call", version };
      const capabilities = canAsk ? { elicitation: { form: {}, url: {} } } : {};
      let client: McpClient | undefined;
      try {
        client = await openMcpClient(transport, { info, capabilities, log });
        const { signal } = context;
        const agreement = await shakeHands(client, transport, {
          info,
          capabilities,
          timeoutMs: handshakeMs,
          silenceMeansLegacy: false,
          signal,
        });
        const result = await client.request(
          "tools/call",
          { name: tool.name, arguments: args },
          {
            signal,
            // The hub knows how long each of its servers may take.
            timeoutMs: 0,
            headers: agreement.era === "modern" ? paramHeaders(tool, args) : undefined,
            logLevel: context.logLevel,
            onProgress: (progress) => context.progress(progress),
            onLog: (line) => context.tell(line),
            ask: (question) => context.ask(question),
          },
        );
        return stripEnvelope(result) as unknown as ToolResult;
      } finally {
        await (client ?? transport).close();
        agent.destroy();
      }
    },
  };
}
