import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { answer } from "./limit-methods.ts";
import type { LimitMessage } from "./limit-methods.ts";

export function createLimitServer(): Server {
  /** The open GET stream of each session, where it has one. */
  const sessions = new Map<string, ServerResponse | undefined>();

  return createServer((request, response) => {
    const id = String(request.headers["mcp-session-id"]);
    if (request.method === "GET") {
      sessions.set(id, response);
      response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
      return;
    }
    if (request.method === "DELETE") {
      sessions.delete(id);
      response.writeHead(200).end();
      return;
    }
    readBody(request, (body) => void reply(JSON.parse(body.toString()), response));
  });

  async function reply(message: LimitMessage, response: ServerResponse): Promise<void> {
    const result = await answer(message);
    if (result === undefined) {
      response.writeHead(202).end();
      return;
    }
    const body = Buffer.from(JSON.stringify(result));
    const headers: Record<string, string | number> = {
      "content-type": "application/json",
      "content-length": body.length,
    };
    if (message.method === "initialize") {
      const id = randomUUID();
      sessions.set(id, undefined);
      headers["mcp-session-id"] = id;
    }
    response.writeHead(200, headers).end(body);
  }
}

function readBody(request: IncomingMessage, done: (body: Buffer) => void): void {
  const parts: Buffer[] = [];
  request.on("data", (part: Buffer) => parts.push(part));
  request.on("end", () => done(parts.length === 1 ? parts[0]! : Buffer.concat(parts)));
}
