import type { ToolResult } from "../../../src/mcp/messages/tool.ts";
import { controlAt } from "../../support/hub-socket.ts";

/** Calls a tool of a hub as an MCP client of this name, over HTTP. */
export async function callHub(origin: string, token: string, name: string, args: object, client = "Claude Code") {
  const send = async (body: object, session?: string): Promise<Response> => {
    const headers = {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      authorization: `Bearer ${token}`,
      ...(session !== undefined && { "mcp-session-id": session, "mcp-protocol-version": "2025-11-25" }),
    };
    return fetch(`${origin}/mcp`, { method: "POST", headers, body: JSON.stringify({ jsonrpc: "2.0", ...body }) });
  };
  const clientInfo = { name: client, version: "2.1.0" };
  const opened = await send({
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo },
  });
  const session = opened.headers.get("mcp-session-id") ?? "";
  await opened.text();
  await (await send({ method: "notifications/initialized" }, session)).text();
  const answer = await send({ id: 2, method: "tools/call", params: { name, arguments: args } }, session);
  const text = await answer.text();
  const json = text.startsWith("{") ? text : (/^data: (\{.*"(?:result|error)".*)$/m.exec(text)?.[1] ?? "{}");
  return JSON.parse(json) as { readonly result?: ToolResult; readonly error?: { readonly message: string } };
}

/** What a hub says about itself. */
export async function readStatus(
  home: string,
): Promise<{ readonly appsAddress: string; readonly appsTokenPath: string }> {
  const control = await controlAt(home);
  const { appsAddress = "", appsTokenPath = "" } = await control.status.read().finally(() => control.close());
  return { appsAddress, appsTokenPath };
}
