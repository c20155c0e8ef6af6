import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";

/**
 * A server whose tool answers with a result of the given shape and size, written without the library: it would be too
 * slow. Over stdio, or over HTTP if it is started with `http` or `events`; then its first line is its address.
 */
const shapes: Readonly<Record<string, (bytes: number) => string>> = {
  text: (bytes) => texts([repeat("A line of ordinary text, and one more word.\\n", bytes)]),
  unicode: (bytes) => texts([repeat("Zeile für Zeile, 一行一行, 🦞 и ещё.\\n", bytes)]),
  texts: (bytes) => texts(Array.from({ length: 1000 }, () => repeat("A line of a text.\\n", bytes / 1000))),
  values: (bytes) =>
    structured(
      `[${Array(400_000)
        .fill(repeat("7", bytes / 400_000 - 1))
        .join(",")}]`,
    ),
  rows: (bytes) =>
    structured(`[${list(120_000, (at) => `{"id":${at},"ok":true,"name":"${repeat("n", bytes / 120_000 - 36)}"}`)}]`),
  deep: (bytes) => structured(`${"[".repeat(100_000)}"${repeat("deep ", bytes - 200_000)}"${"]".repeat(100_000)}`),
};

const list = (count: number, item: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => item(at)).join(",");
const repeat = (unit: string, bytes: number): string => unit.repeat(Math.max(1, bytes / Buffer.byteLength(unit)));
const texts = (all: readonly string[]): string =>
  `{"content":[${all.map((text) => `{"type":"text","text":"${text}"}`).join(",")}]}`;
const structured = (json: string): string => `{"content":[],"structuredContent":{"all":${json}}}`;

interface Message {
  readonly id?: number;
  readonly method: string;
  readonly params?: { readonly arguments?: { readonly shape: string; readonly bytes: number } };
}

function answerTo(line: string): string | undefined {
  const { id, method, params } = JSON.parse(line) as Message;
  return id === undefined ? undefined : `{"jsonrpc":"2.0","id":${id},"result":${resultOf(method, params)}}`;
}

function resultOf(method: string, params: Message["params"]): string {
  if (method === "tools/call") return shapes[params!.arguments!.shape]!(params!.arguments!.bytes);
  if (method === "tools/list") return '{"tools":[{"name":"make","inputSchema":{"type":"object"}}]}';
  if (method !== "initialize") return "{}";
  const serverInfo = { name: "sized", version: "1" };
  return JSON.stringify({ protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo });
}

const [mode] = process.argv.slice(2);
if (mode === undefined)
  createInterface({ input: process.stdin }).on("line", (line) => {
    const answer = answerTo(line);
    if (answer !== undefined) process.stdout.write(`${answer}\n`);
  });
else {
  const server = createServer((request, response) => {
    if (request.method !== "POST") return void response.writeHead(405).end();
    let body = "";
    request.setEncoding("utf8").on("data", (piece: string) => (body += piece));
    request.on("end", () => {
      const answer = answerTo(body);
      if (answer === undefined) return response.writeHead(202).end();
      if (mode === "http") return response.writeHead(200, { "content-type": "application/json" }).end(answer);
      return response.writeHead(200, { "content-type": "text/event-stream" }).end(`data: ${answer}\n\n`);
    });
  });
  // A connection that is closed while a call is on its way would be another matter.
  server.keepAliveTimeout = 0;
  server.listen(0, "127.0.0.1", () => {
    process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp\n`);
  });
}
