import { Agent, request } from "node:http";

/** Calls a tool at a hub over kept connections. */
export interface HubCaller extends Disposable {
  /** `ok`, or the status and the reason. */
  call(tool: string, args?: object): Promise<string>;
}

export function createHubCaller(port: number, token: string): HubCaller {
  const agent = new Agent({ keepAlive: true });
  const headers = {
    authorization: `Bearer ${token}`,
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
  };
  return {
    call(tool, args = {}) {
      const params = { name: tool, arguments: args };
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
      return new Promise((resolve) => {
        const sent = request({ host: "127.0.0.1", port, path: "/mcp", method: "POST", agent, headers }, (response) => {
          let text = "";
          response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
          response.on("error", (error) => resolve(error.message));
          response.on("end", () => resolve(outcomeOf(response.statusCode ?? 0, text)));
        });
        sent.on("error", (error) => resolve(error.message)).end(body);
      });
    },
    [Symbol.dispose]: () => agent.destroy(),
  };
}

/** A slow answer comes as the last event of a stream. */
function outcomeOf(status: number, text: string): string {
  if (status !== 200) return `${status} ${/"message":"([^"]*)"/.exec(text)?.[1] ?? text.slice(0, 100)}`;
  return /"content":\[/.test(text) && !text.includes('"isError":true') ? "ok" : `200 ${text.slice(0, 100)}`;
}
