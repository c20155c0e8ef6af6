import { echoParams } from "../payload.ts";
import { checkAnswer } from "./client.ts";
import { headOf } from "./http-client.ts";
import { type HttpConnection, openHttpConnection } from "./http-connection.ts";

export interface BridgeTarget {
  readonly port: number;
  readonly token: string;
  /** One for each session. */
  readonly paths: readonly string[];
}

/** Calls the apps behind a bridge in turn, over as few connections as there are calls under way: as a gateway would. */
export interface BridgeClient extends AsyncDisposable {
  call(): Promise<Buffer>;
}

export function openBridgeClient({ port, token, paths }: BridgeTarget): BridgeClient {
  const headers = {
    Host: `127.0.0.1:${port}`,
    "Content-Type": "application/json",
    Accept: "application/json, text/event-stream",
    "Mcp-Protocol-Version": "2025-06-18",
    Authorization: `Bearer ${token}`,
  };
  const heads = paths.map((path) => headOf(path, headers));
  const params = echoParams(100);
  const idle: HttpConnection[] = [];
  const all = new Set<HttpConnection>();
  let lastId = 0;

  return {
    async call() {
      const id = ++lastId;
      const connection = idle.pop() ?? (await openHttpConnection(port));
      all.add(connection);
      const body = `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":${params}}`;
      const answer = await connection.send(heads[id % heads.length]!, body);
      idle.push(connection);
      if (answer.status !== 200) throw new Error(`HTTP ${answer.status}: ${answer.body.toString("utf8", 0, 200)}`);
      return checkAnswer(answer.body);
    },
    async [Symbol.asyncDispose]() {
      for (const connection of all) connection.close();
    },
  };
}
