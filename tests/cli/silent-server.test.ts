import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { expect, test, vi } from "vitest";
import { listenHere } from "../support/listen-here.ts";
import type { Wire } from "../support/mcp/messages.ts";
import { clawport } from "../support/cli/run-clawport.ts";
import { placeWith } from "../support/cli/test-home.ts";

vi.setConfig({ testTimeout: 60_000 });

const results: Record<string, object> = {
  initialize: { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } },
  "tools/list": { tools: [{ name: "get", inputSchema: { type: "object" } }] },
};

/** Accepts calls with `callStatus`, or does not answer them at all, and never sends a result. */
async function startSilentServer(callStatus: number | undefined) {
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<unknown> => {
    if (request.method !== "POST") return response.writeHead(405).end();
    const { id, method } = JSON.parse(await text(request)) as Wire;
    if (method === "tools/call") return callStatus === undefined ? response : response.writeHead(callStatus).end();
    if (id === undefined) return response.writeHead(202).end();
    const body = results[method ?? ""] ? { result: results[method ?? ""] } : { error: { code: -32601, message: "no" } };
    return response
      .writeHead(200, { "content-type": "application/json" })
      .end(JSON.stringify({ jsonrpc: "2.0", id, ...body }));
  };
  return listenHere(createServer((request, response) => void serve(request, response)));
}

test.each([
  ["leaves the request open", undefined],
  // Nothing is open then: only the timer keeps the command running.
  ["accepts the request and closes it", 202],
])("a command whose server %s waits for the result and reports the timeout", async (_, callStatus) => {
  await using server = await startSilentServer(callStatus);
  await using place = await placeWith({ s: { url: `${server.origin}/mcp`, requestTimeoutMs: 300 } });
  const { exit, err } = await clawport(place, "call", "s__get");
  expect(err).toContain("The server did not answer within 300 ms.");
  expect(exit).toBe(75);
});
