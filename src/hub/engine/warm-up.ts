import { noAudit } from "../../catalog/audit/audit.ts";
import { createCatalog } from "../../catalog/catalog.ts";
import { createAskers } from "../../catalog/guard/askers.ts";
import { createGuard } from "../../catalog/guard/guard.ts";
import { silentLog } from "../../core/log.ts";
import { ownMark } from "../../core/process/process-mark.ts";
import { createDoorOffer } from "../../doors/mcp/door-offer.ts";
import type { ClientTransport, TransportListener } from "../../mcp/client/client-transport.ts";
import { isRequest, type JsonRpcRequest } from "../../mcp/messages/json-rpc.ts";
import { textResult, type Tool, type ToolResult } from "../../mcp/messages/tool.ts";
import { createMcpServer } from "../../mcp/server/mcp-server.ts";
import type { ServerDefinition } from "../../sources/servers/definition.ts";
import { noLists } from "../../sources/servers/lists/fetch-lists.ts";
import type { StoredLists } from "../../sources/servers/lists/list-store.ts";
import { createServerManager } from "../../sources/servers/manager.ts";
import type { EngineParts } from "./engine-parts.ts";

type WarmUpParts = Pick<EngineParts, "approvals" | "pins" | "env" | "version">;

/**
 * Wakes a server that exists only in memory with a call, through everything but processes and files. V8 compiles a
 * function when it is first called, and Node's cache does not keep that: without this, the first call that wakes a real
 * server waits for it. Returns what the call returned.
 */
export async function warmUp(parts: WarmUpParts, like: ServerDefinition): Promise<ToolResult | undefined> {
  const { approvals, pins, env, version } = parts;
  // Read once, and then kept.
  ownMark("/proc");
  const catalog = createCatalog();
  const manager = createServerManager({
    catalog,
    env,
    log: silentLog,
    version,
    maxConcurrent: 1,
    discoveryMs: 0,
    store: { read: () => stored, save: () => {}, settled: () => Promise.resolve() },
    openTransport: createEchoTransport,
  });
  const guard = createGuard({ policy: {}, approvals, pins, askers: createAskers(), audit: noAudit });
  const view = catalog.view("all");
  const server = createMcpServer(createDoorOffer({ view, guard, door: "mcp-stdio", info, log: silentLog }));
  try {
    await manager.apply([{ ...like, ...own }]);
    const peer = server.openPeer({ principal: info.name, twoWay: true, push: () => {} });
    const send = () => {};
    await server.handle(initialize, peer, { send });
    const answer = await server.handle(call, peer, { send });
    return answer && "result" in answer ? (answer.result as unknown as ToolResult) : undefined;
  } finally {
    server.close();
    await manager.close();
    catalog.close();
  }
}

const info = { name: "warm-up", version: "0" };
/** What the server in memory does not have of the one it stands for. */
const own = {
  name: info.name,
  prefix: "",
  tools: { include: [], exclude: [], rename: {}, describe: {} },
  era: "auto",
  heartbeatMs: 0,
  idleStopMs: 0,
} satisfies Partial<ServerDefinition>;
const version = "2025-11-25";
const tool: Tool = {
  name: "echo",
  inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
  annotations: { readOnlyHint: true },
};
const capabilities = { tools: {} };
const stored: StoredLists = {
  agreement: { era: "legacy", version, capabilities, serverInfo: info, instructions: undefined },
  lists: { ...noLists, tools: [tool] },
  meta: {},
  eraDay: Infinity,
};
const initialize: JsonRpcRequest = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: version, capabilities: {}, clientInfo: info },
};
const call: JsonRpcRequest = {
  jsonrpc: "2.0",
  id: 2,
  method: "tools/call",
  params: { name: tool.name, arguments: { text: "hello" } },
};

const results: Readonly<Record<string, object>> = {
  initialize: { protocolVersion: version, capabilities, serverInfo: info },
  "tools/list": { tools: [tool] },
  "tools/call": textResult("hello"),
};

function createEchoTransport(): ClientTransport {
  let listener: TransportListener | undefined;
  return {
    start(given) {
      listener = given;
      return Promise.resolve();
    },
    send(message) {
      if (isRequest(message)) {
        const answer = { jsonrpc: "2.0" as const, id: message.id, result: { ...results[message.method] } };
        queueMicrotask(() => listener?.onMessage(answer, message.id));
      }
      return Promise.resolve();
    },
    settle() {},
    sessionId: undefined,
    cancelsByClosing: false,
    close: () => Promise.resolve(),
  };
}
