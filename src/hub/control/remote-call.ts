import type { CallContext } from "../../catalog/call-context.ts";
import { hubTerminalUrl } from "../../core/http/hub-routes.ts";
import { createSocketAgent } from "../../core/http/socket-agent.ts";
import type { Log } from "../../core/log.ts";
import { readVersion } from "../../core/version.ts";
import { shakeHands } from "../../mcp/client/handshake.ts";
import { createHttpTransport } from "../../mcp/client/http-transport.ts";
import { type McpClient, openMcpClient } from "../../mcp/client/mcp-client.ts";
import { stripEnvelope } from "../../mcp/messages/envelope.ts";
import { paramHeaders } from "../../mcp/messages/mirrored-headers.ts";
import type { ToolResult } from "../../mcp/messages/tool.ts";
import type { RunningHub } from "./find-hub.ts";
import type { ListedTool } from "./hub-control.ts";

export interface RemoteCallOptions {
  readonly hub: RunningHub;
  readonly log: Log;
  readonly canAsk: boolean;
}

const handshakeMs = 10_000;

/** Calls a tool of a running hub over MCP, as the user at a terminal: the guard judges it as it would without a hub. */
export async function callRemoteTool(
  { hub, log, canAsk }: RemoteCallOptions,
  tool: ListedTool,
  args: Readonly<Record<string, unknown>>,
  context: CallContext,
): Promise<ToolResult> {
  const agent = createSocketAgent(hub.socket);
  const transport = createHttpTransport({
    url: hubTerminalUrl(hub.address),
    headers: () => ({ authorization: `Bearer ${hub.key.reveal()}` }),
    agent,
    log,
    maxMessageBytes: 512 * 1024 * 1024,
  });
  const info = { name: "clawport call", version: readVersion() };
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
        // The hub applies the time limits of its servers.
        timeoutMs: 0,
        headers: agreement.era === "modern" ? paramHeaders(tool, args) : undefined,
        logLevel: context.logLevel,
        toHub: true,
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
}
