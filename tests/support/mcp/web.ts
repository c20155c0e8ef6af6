import { createServer } from "node:http";
import {
  createHttpEndpoint,
  type HttpEndpoint,
  type HttpEndpointOptions,
} from "../../../src/mcp/http/http-endpoint.ts";
import { createMcpServer, type McpServer, type McpServerOptions } from "../../../src/mcp/server/mcp-server.ts";
import type { McpOffer } from "../../../src/mcp/server/offer.ts";
import { listenHere } from "../listen-here.ts";
import { type EventReader, readEvents } from "./events.ts";
import { initialize, type ModernFacts, modernParams, modernVersion, type Wire } from "./messages.ts";

type HeaderBag = Readonly<Record<string, string>>;

/** The response to one request. The body is read on demand. */
export interface Reply {
  readonly status: number;
  readonly type: string | null;
  header(name: string): string | null;
  json(): Promise<Wire>;
  text(): Promise<string>;
  readonly events: EventReader;
  /** Closes the connection from the client's side. */
  hangUp(): void;
}

/** An endpoint on a real HTTP server. The header `x-principal` names the caller. */
export interface Web extends AsyncDisposable {
  readonly port: number;
  readonly server: McpServer;
  readonly endpoint: HttpEndpoint;
  /** How many responses lost their connection before they were complete, as the server saw it. */
  readonly lostResponses: number;
  send(method: string, headers?: HeaderBag, body?: string | Uint8Array): Promise<Reply>;
  post(message: unknown, headers?: HeaderBag): Promise<Reply>;
  /** A request of the modern era, with its headers. */
  modern(id: string | number, method: string, params?: object, facts?: ModernFacts): Promise<Reply>;
  /** Completes the handshake; resolves to the headers for the session's requests. */
  open(version?: string, capabilities?: object): Promise<HeaderBag>;
}

export interface WebOptions extends HttpEndpointOptions {
  readonly serverOptions?: McpServerOptions;
}

export async function openWeb(offer: McpOffer, options: WebOptions = {}): Promise<Web> {
  const server = createMcpServer(offer, options.serverOptions);
  const endpoint = createHttpEndpoint(server, options);
  let lostResponses = 0;
  const http = createServer((request, response) => {
    response.once("close", () => {
      if (!response.writableFinished) lostResponses++;
    });
    endpoint.handle(request, response, String(request.headers["x-principal"] ?? "anna"));
  });
  const listening = await listenHere(http);

  const web: Web = {
    port: listening.port,
    server,
    endpoint,
    get lostResponses() {
      return lostResponses;
    },
    async send(method, headers = {}, body) {
      const aborter = new AbortController();
      const response = await fetch(listening.origin, {
        method,
        headers: { accept: "application/json, text/event-stream", ...headers },
        signal: aborter.signal,
        ...(body === undefined ? {} : { body }),
      });
      let events: EventReader | undefined;
      return {
        status: response.status,
        type: response.headers.get("content-type"),
        header: (name) => response.headers.get(name),
        json: async () => (await response.json()) as Wire,
        text: () => response.text(),
        get events() {
          return (events ??= readEvents(response.body ?? new Blob([]).stream()));
        },
        hangUp: () => aborter.abort(),
      };
    },
    post: (message, headers) =>
      web.send("POST", { "content-type": "application/json", ...headers }, JSON.stringify(message)),
    modern(id, method, params = {}, facts = {}) {
      const { name, uri, taskId } = params as { name?: string; uri?: string; taskId?: string };
      const subject = name ?? uri ?? taskId;
      return web.post(
        { jsonrpc: "2.0", id, method, params: modernParams(params, facts) },
        {
          "mcp-protocol-version": modernVersion,
          "mcp-method": method,
          ...(subject === undefined ? {} : { "mcp-name": subject }),
        },
      );
    },
    async open(version = "2025-11-25", capabilities = {}) {
      const reply = await web.post({
        jsonrpc: "2.0",
        id: 0,
        method: "initialize",
        params: initialize(version, capabilities),
      });
      const { result } = await reply.json();
      return { "mcp-session-id": reply.header("mcp-session-id") ?? "", "mcp-protocol-version": result.protocolVersion };
    },
    async [Symbol.asyncDispose]() {
      endpoint.close();
      server.close();
      await listening[Symbol.asyncDispose]();
    },
  };
  return web;
}

export function call(id: string | number, name: string, args: object = {}, meta: object = {}): object {
  return { jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: args, _meta: meta } };
}
