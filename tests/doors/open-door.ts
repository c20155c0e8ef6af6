import { createCatalog } from "../../src/catalog/catalog.ts";
import { silentLog } from "../../src/core/log.ts";
import { createMetrics } from "../../src/core/telemetry/metrics.ts";
import type { TokenMatch } from "../../src/doors/mcp/gate.ts";
import { type HttpDoorOptions, openHttpDoor } from "../../src/doors/mcp/http-door.ts";
import { textResult } from "../../src/mcp/messages/tool.ts";
import { startGuard } from "../support/start-guard.ts";
import { testSource } from "../support/test-source.ts";

/** The token of each caller is its name. */
const tokens = new Map<string, TokenMatch>([
  ["main", { name: "main" }],
  ["phone", { name: "phone", view: "slow" }],
  ["tablet", { name: "tablet", view: "slow" }],
  ["laptop", { name: "laptop", view: "quick" }],
  ["guest", { name: "guest" }],
  ["prometheus", { name: "prometheus", metrics: true }],
]);

/** A real HTTP door: the tool `wait` of the source `slow` waits until it is released, `echo` of `quick` answers at once. */
export async function openDoor(options: Partial<HttpDoorOptions> = {}) {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  let waiting = 0;
  const guarded = await startGuard();
  const catalog = createCatalog();
  catalog.add(
    testSource({
      id: "slow",
      prefix: "slow",
      tools: ["wait"],
      async call() {
        waiting++;
        await released;
        return textResult("released");
      },
    }),
  );
  catalog.add(testSource({ id: "quick", prefix: "quick", tools: ["echo"], call: async () => textResult("echo") }));
  const door = await openHttpDoor({
    host: "127.0.0.1",
    port: 0,
    catalog,
    guard: guarded.guard,
    tokens: { match: (presented) => tokens.get(presented) },
    info: { name: "clawport", title: "Clawport", version: "1.2.3" },
    log: silentLog,
    metrics: createMetrics(),
    ...options,
  });
  return {
    port: door.port,
    catalog,
    release,
    get waiting() {
      return waiting;
    },
    /** Calls a tool and returns the HTTP status, with the reason of a refusal. */
    async call(token: string, tool: string): Promise<string> {
      const response = await fetch(door.address, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: tool, arguments: {} } }),
      });
      const { error, result } = (await response.json()) as { error?: { message: string }; result?: object };
      return `${response.status} ${error?.message ?? (result ? "ok" : "nothing")}`;
    },
    get: (token: string, path: string) =>
      fetch(new URL(path, door.address), { headers: { authorization: `Bearer ${token}` } }),
    async [Symbol.asyncDispose]() {
      release();
      await door.close(100);
      await guarded[Symbol.asyncDispose]();
    },
  };
}
