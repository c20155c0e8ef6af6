import { once } from "node:events";
import { WebSocket } from "ws";
import { until } from "../until.ts";

// oxlint-disable-next-line typescript/no-explicit-any
export type BridgeMessage = any;

type Handle = (args: BridgeMessage, message: BridgeMessage, app: TestApp) => unknown;

export interface TestAppOptions {
  readonly headers?: Record<string, string>;
  readonly protocols?: string[];
  /** Returns the `content` of each tool's result; undefined sends no result. */
  readonly tools?: Readonly<Record<string, Handle>>;
  /** If true, it answers no pings, neither messages nor WebSocket frames. */
  readonly deaf?: boolean;
}

/** An app as the contract describes it, over a plain WebSocket. */
export interface TestApp extends AsyncDisposable {
  readonly ws: WebSocket;
  readonly messages: readonly BridgeMessage[];
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
  send(message: object | string): void;
  result(requestId: string, parts: object): void;
  /** Waits for the first message of this type. */
  wait(type: string): Promise<BridgeMessage>;
}

export function openSocket(url: string, { headers = {}, protocols = [], deaf = false }: TestAppOptions): WebSocket {
  return new WebSocket(url, protocols, { headers, autoPong: !deaf });
}

export async function openApp(url: string, options: TestAppOptions = {}): Promise<TestApp> {
  const ws = openSocket(url, options);
  const { tools = { echo_text: ({ text }) => ({ echoed_text: text }) }, deaf = false } = options;
  const messages: BridgeMessage[] = [];
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    ws.once("close", (code, reason) => resolve({ code, reason: String(reason) }));
  });
  ws.on("error", () => {});
  ws.on("message", (data: Buffer) => {
    const message = JSON.parse(data.toString());
    messages.push(message);
    if (message.type === "ping" && !deaf) app.send({ type: "pong", mcpSessionId: message.mcpSessionId });
    if (message.type !== "invoke_tool") return;
    const content = tools[message.tool_name]?.(message.arguments, message, app);
    if (content !== undefined) app.result(message.request_id, { ok: true, content });
  });
  const app: TestApp = {
    ws,
    messages,
    closed,
    send: (message) => ws.send(typeof message === "string" ? message : JSON.stringify(message)),
    result: (requestId, parts) => app.send({ type: "invoke_result", request_id: requestId, ...parts }),
    async wait(type) {
      await until(() => messages.some((message) => message.type === type), `a message ${type}`);
      return messages.find((message) => message.type === type);
    },
    async [Symbol.asyncDispose]() {
      ws.terminate();
      await closed;
    },
  };
  await Promise.race([once(ws, "open"), closed]);
  return app;
}
