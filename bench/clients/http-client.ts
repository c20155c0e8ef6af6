import type { HttpTarget } from "../targets.ts";
import { checkAnswer, helloParams } from "./client.ts";
import type { Client } from "./client.ts";
import { openHttpConnection } from "./http-connection.ts";
import type { HttpConnection } from "./http-connection.ts";

/** An initialized MCP client that opens as many connections as it has requests under way, and keeps them. */
export interface HttpClient extends Client {
  /** The headers that belong to the session, for whoever opens its event stream. */
  readonly headers: Readonly<Record<string, string>>;
}

export async function openHttpClient({ port, path, token }: HttpTarget): Promise<HttpClient> {
  const idle: HttpConnection[] = [];
  const all: HttpConnection[] = [];
  const headers: Record<string, string> = {
    Host: `127.0.0.1:${port}`,
    "Content-Type": "application/json",
    Accept: "application/json, text/event-stream",
    ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
  };
  let head = headOf(path, headers);
  let lastId = 0;

  async function post(body: string): Promise<{ status: number; head: string; body: Buffer }> {
    const connection = idle.pop() ?? (await openHttpConnection(port));
    if (!all.includes(connection)) all.push(connection);
    const answer = await connection.send(head, body);
    idle.push(connection);
    return answer;
  }

  async function request(method: string, params: string): Promise<Buffer> {
    const { status, body } = await post(`{"jsonrpc":"2.0","id":${++lastId},"method":"${method}","params":${params}}`);
    if (status !== 200) throw new Error(`HTTP ${status}: ${body.toString("utf8", 0, 200)}`);
    return checkAnswer(body);
  }

  const hello = await post(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":${helloParams}}`);
  const session = /^mcp-session-id: *(\S+)$/im.exec(hello.head)?.[1];
  if (session !== undefined) headers["Mcp-Session-Id"] = session;
  headers["Mcp-Protocol-Version"] = "2025-06-18";
  head = headOf(path, headers);
  await post('{"jsonrpc":"2.0","method":"notifications/initialized"}');

  return {
    headers,
    request,
    async [Symbol.asyncDispose]() {
      for (const connection of all) connection.close();
    },
  };
}

export function headOf(path: string, headers: Readonly<Record<string, string>>): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST ${path} HTTP/1.1\r\n${lines.join("")}`;
}
