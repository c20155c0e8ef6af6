import { setTimeout as sleep } from "node:timers/promises";
import { textResult } from "../../../src/mcp/messages/tool.ts";
import { createMcpServer } from "../../../src/mcp/server/mcp-server.ts";
import { serveStdio } from "../../../src/mcp/stdio/serve-stdio.ts";
import { testOffer } from "./test-offer.ts";

/** A server in its own process. It exits when `serveStdio` returns, and reports stopped calls on stderr. */
const server = createMcpServer(
  testOffer({
    tools: {
      slow: async ({ ms }) => (await sleep(Number(ms)), textResult("slept")),
      fill: ({ bytes }) => textResult("x".repeat(Number(bytes))),
      wait: (_args, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => {
            console.error("stopped");
            reject(signal.reason as Error);
          });
        }),
    },
  }),
);
await serveStdio(server, { input: process.stdin, output: process.stdout, graceMs: Number(process.argv[2] ?? 2000) });
server.close();
process.exit(0);
