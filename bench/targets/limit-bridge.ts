import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type WebSocket, WebSocketServer } from "ws";
import { announce } from "./announce.ts";

/** A hand-written bridge with nothing to spare: HTTP in, WebSocket to the app, HTTP out. No tokens, no checks, no limits. */
interface App {
  readonly socket: WebSocket;
  readonly waiting: Map<number, (result: unknown) => void>;
  tools: unknown;
  lastId: number;
}

const apps = new Map<string, App>();
const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false, maxPayload: 64 * 1024 * 1024 });

const server = createServer((request, response) => {
  const app = apps.get(request.url?.slice("/v1/mcp/".length) ?? "");
  if (!app) return void response.writeHead(404).end();
  readBody(request, (body) => void reply(app, JSON.parse(body), response));
});

server.on("upgrade", (request, socket, head) => {
  const id = request.url?.split("session=")[1] ?? "";
  request.socket.setNoDelay(true);
  sockets.handleUpgrade(request, socket, head, (ws) => {
    const app: App = { socket: ws, waiting: new Map(), tools: [], lastId: 0 };
    ws.on("message", (data: Buffer) => {
      const message = JSON.parse(data.toString());
      if (message.tools) {
        app.tools = message.tools;
        apps.set(id, app);
        return ws.send('{"registered":true}');
      }
      app.waiting.get(message.id)?.(message.result);
      app.waiting.delete(message.id);
    });
    ws.on("close", () => apps.delete(id));
  });
});

announce(server);

interface Message {
  readonly id?: number;
  readonly method: string;
  readonly params: { readonly name: string; readonly arguments: unknown; readonly protocolVersion: string };
}

async function reply(app: App, { id, method, params }: Message, response: ServerResponse): Promise<void> {
  const result = await answer(app, method, params);
  if (id === undefined) return void response.writeHead(202).end();
  const text = Buffer.from(JSON.stringify({ jsonrpc: "2.0", id, result }));
  response.writeHead(200, { "content-type": "application/json", "content-length": text.length }).end(text);
}

function answer(app: App, method: string, params: Message["params"]): unknown {
  switch (method) {
    case "initialize":
      return {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: { listChanged: true } },
        serverInfo: { name: "limit", version: "1" },
      };
    case "tools/list":
      return { tools: app.tools };
    case "tools/call":
      return new Promise((resolve) => {
        const id = ++app.lastId;
        app.waiting.set(id, resolve);
        app.socket.send(JSON.stringify({ id, name: params.name, arguments: params.arguments }));
      });
    default:
      return {};
  }
}

function readBody(request: IncomingMessage, done: (body: string) => void): void {
  const parts: Buffer[] = [];
  request.on("data", (part: Buffer) => parts.push(part));
  request.on("end", () => done((parts.length === 1 ? parts[0]! : Buffer.concat(parts)).toString()));
}
