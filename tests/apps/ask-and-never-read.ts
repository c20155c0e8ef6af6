import { once } from "node:events";
import { connect, type Socket } from "node:net";
import type { Created } from "../support/apps/proxy-client.ts";

/** Calls a tool and never reads the response. */
export async function askAndNeverRead({ mcp_url }: Created, tool: string): Promise<Socket> {
  const { hostname, port, pathname, host } = new URL(mcp_url);
  const socket = connect(Number(port), hostname).on("error", () => {});
  await once(socket, "connect");
  socket.pause();
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: tool, arguments: {} } });
  const head = `POST ${pathname} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nAccept: application/json\r\n`;
  socket.write(`${head}Content-Length: ${body.length}\r\n\r\n${body}`);
  return socket;
}
