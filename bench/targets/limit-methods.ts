/** A hand-written MCP server with nothing to spare: what the protocol costs at least. No checks, no sessions, no cancellation. */
const tools = [
  {
    name: "echo",
    description: "Returns data.",
    inputSchema: { type: "object", properties: { data: { type: "string" } }, required: ["data"] },
  },
  {
    name: "sleep",
    description: "Waits.",
    inputSchema: { type: "object", properties: { ms: { type: "number" } }, required: ["ms"] },
  },
];

export interface LimitMessage {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: {
    readonly protocolVersion?: string;
    readonly name?: string;
    readonly arguments?: { readonly data?: string; readonly ms?: number };
  };
}

/** Undefined for what gets no answer. */
export function answer({ id, method, params }: LimitMessage): unknown {
  if (id === undefined || method === undefined) return undefined;
  switch (method) {
    case "initialize": {
      const protocolVersion = params?.protocolVersion ?? "2025-06-18";
      const serverInfo = { name: "limit", version: "1" };
      return { jsonrpc: "2.0", id, result: { protocolVersion, capabilities: { tools: {} }, serverInfo } };
    }
    case "tools/list":
      return { jsonrpc: "2.0", id, result: { tools } };
    case "tools/call":
      return call(id, params);
    default:
      return { jsonrpc: "2.0", id, error: { code: -32601, message: "Method not found" } };
  }
}

function call(id: number | string, params: LimitMessage["params"]): unknown {
  if (params?.name === "echo") {
    return { jsonrpc: "2.0", id, result: { content: [{ type: "text", text: params.arguments?.data ?? "" }] } };
  }
  const result = { content: [{ type: "text", text: "slept" }] };
  return new Promise((resolve) => {
    setTimeout(() => resolve({ jsonrpc: "2.0", id, result }), params?.arguments?.ms ?? 0);
  });
}
