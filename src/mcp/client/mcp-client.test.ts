import { expect, test } from "vitest";
import { until } from "../../../tests/support/until.ts";
import { silentLog } from "../../core/log.ts";
import type { JsonRpcMessage } from "../messages/json-rpc.ts";
import type { ClientTransport } from "./client-transport.ts";
import { openMcpClient } from "./mcp-client.ts";

/** Takes everything, and never answers. */
function silentTransport(sent: JsonRpcMessage[]): ClientTransport {
  return {
    cancelsByClosing: false,
    sessionId: undefined,
    settle: () => {},
    start: async () => {},
    send: async (message) => void sent.push(message),
    close: async () => {},
  };
}

test("a caller that stops waiting gets a cancelled fault, whatever the reason of its signal", async () => {
  const sent: JsonRpcMessage[] = [];
  const info = { name: "test", version: "1" };
  const client = await openMcpClient(silentTransport(sent), { info, capabilities: {}, log: silentLog });
  const stop = new AbortController();
  const answer = client.request("tools/call", { name: "wait" }, { signal: stop.signal, timeoutMs: 0 });
  await until(() => sent.length === 1);
  stop.abort();
  await expect(answer).rejects.toMatchObject({ code: "cancelled" });
  await until(() => sent.length === 2);
  expect(sent[1]).toMatchObject({ method: "notifications/cancelled" });
  const late = client.request("tools/call", { name: "wait" }, { signal: stop.signal, timeoutMs: 0 });
  await expect(late).rejects.toMatchObject({ code: "cancelled" });
});
