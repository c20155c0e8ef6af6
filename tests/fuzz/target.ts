import { createServer } from "node:http";
import { createHttpEndpoint } from "../../src/mcp/http/http-endpoint.ts";
import { createMcpServer } from "../../src/mcp/server/mcp-server.ts";
import { serveStdio } from "../../src/mcp/stdio/serve-stdio.ts";
import { maxMessageBytes, targetOffer } from "./target-offer.ts";

/**
 * The fuzzed process: one server, over stdin and stdout and over HTTP at once. It sends its port to its parent, and on
 * request the size of its heap after a collection.
 */
const server = createMcpServer(targetOffer, {
  waitForAnswersMs: 2000,
  maxWaiting: 50,
  keepTasksMs: 2000,
  maxTasks: 50,
});
const endpoint = createHttpEndpoint(server, { maxBodyBytes: maxMessageBytes, maxSessions: 100 });
const http = createServer((request, response) => endpoint.handle(request, response, "fuzz"));

process.on("message", () => {
  globalThis.gc?.();
  setTimeout(() => {
    globalThis.gc?.();
    process.send?.({ heapUsed: process.memoryUsage().heapUsed });
  }, 20);
});
http.listen(0, "127.0.0.1", () => {
  const address = http.address();
  process.send?.({ port: typeof address === "object" ? address?.port : undefined });
});
await serveStdio(server, { input: process.stdin, output: process.stdout, maxFrameBytes: maxMessageBytes });
server.close();
process.exit();
