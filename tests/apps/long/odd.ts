import type { Random } from "../../support/random.ts";
import { type Created, echoTool } from "../../support/apps/proxy-client.ts";

const types = [
  "invoke_result",
  "invoke_progress",
  "invoke_log",
  "invoke_ask",
  "ping",
  "pong",
  "invoke_tool",
  "constructor",
];

function oddValue(random: Random, depth = 0): unknown {
  const simple = [
    null,
    true,
    -0,
    1e308,
    "",
    "\u0000",
    "\ud800",
    "x".repeat(random.int(300)),
    "__proto__",
    random.int(9),
  ];
  if (depth > 3 || random.chance(0.6)) return random.pick(simple);
  if (random.chance(0.5)) return Array.from({ length: random.int(4) }, () => oddValue(random, depth + 1));
  const keys = ["type", "content", "isError", "__proto__", "toString", "message", "text", "data"];
  return Object.fromEntries(
    Array.from({ length: random.int(4) }, () => [random.pick(keys), oddValue(random, depth + 1)]),
  );
}

/** JSON that can be parsed, but is nested too deep to be written again. */
function deep(requestId: string): string {
  const value = "[".repeat(20_000) + "]".repeat(20_000);
  return `{"type":"invoke_result","request_id":${JSON.stringify(requestId)},"ok":true,"content":${value}}`;
}

/**
 * A message of an app, with odd values where an app may choose them. Now and then it breaks the protocol, which closes the
 * bridge. That is rare, since what follows such a message is not read any more.
 */
export function oddMessage(random: Random, { mcpSessionId }: Created, requestId: string): string {
  if (random.chance(0.001)) return random.pick(["{", "", "[]", "nul", '"', "{}", '{"type":7}', deep(requestId)]);
  const field = (usual: unknown) => (random.chance(0.001) ? oddValue(random) : usual);
  return JSON.stringify({
    type: field(random.pick(types)),
    mcpSessionId: random.chance(0.9) ? mcpSessionId : oddValue(random),
    request_id: field(random.pick([requestId, `${mcpSessionId}:1`])),
    ok: field(random.chance(0.5)),
    content: oddValue(random),
    error: oddValue(random),
    progress: field(random.int(1000)),
    total: oddValue(random),
    message: oddValue(random),
    level: field("info"),
    data: oddValue(random),
    ask_id: field("a"),
    params: field({ message: oddValue(random) }),
  });
}

/** A request of a client, or a registration, that is almost valid. */
export function oddRequest(random: Random, session: Created): { method: string; path: string; body: string } {
  const method = random.chance(0.85) ? "POST" : random.pick(["DELETE", "PATCH", "PUT"]);
  const path = random.pick([
    session.mcp_url,
    session.mcp_url,
    "/v1/mcp",
    "/v1/mcp/%00",
    "/v1/chat/sessions",
    "/v1/chat/sessions/x/bridge",
    "/%2e%2e/",
  ]);
  const isRegistration = path === "/v1/chat/sessions";
  const message = isRegistration
    ? {
        device_id: oddValue(random),
        tools: random.chance(0.5)
          ? oddValue(random)
          : [{ ...echoTool, input_schema: oddValue(random), name: oddValue(random) }],
      }
    : {
        jsonrpc: random.chance(0.9) ? "2.0" : oddValue(random),
        id: random.chance(0.9) ? random.int(99) : oddValue(random),
        method: random.pick([
          "tools/call",
          "tools/list",
          "initialize",
          "ping",
          "tools/none",
          "notifications/cancelled",
        ]),
        params: random.chance(0.6) ? { name: "echo_text", arguments: oddValue(random) } : oddValue(random),
      };
  const text = JSON.stringify(message);
  return { method, path, body: random.chance(0.05) ? text.slice(0, random.int(text.length)) || "{" : text };
}
