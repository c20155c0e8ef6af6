import { expect, test } from "vitest";
import { until } from "../../../tests/support/until.ts";
import { silentLog } from "../../core/log.ts";
import { isRequest, type JsonRpcMessage } from "../messages/json-rpc.ts";
import type { ClientTransport, TransportListener } from "./client-transport.ts";
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

/** Answers every call with the next of these results, and the last one again and again. */
function answeringTransport(results: readonly object[]): ClientTransport & { readonly sent: JsonRpcMessage[] } {
  const sent: JsonRpcMessage[] = [];
  let listener: TransportListener | undefined;
  return {
    ...silentTransport(sent),
    sent,
    start: async (given) => void (listener = given),
    async send(message) {
      const result = results[Math.min(sent.push(message), results.length) - 1] ?? {};
      if (!isRequest(message)) return;
      setImmediate(() => listener?.onMessage({ jsonrpc: "2.0", id: message.id, result }, undefined));
    },
  };
}

const later = { resultType: "input_required", requestState: "later" };

test("a server that asks nothing is asked again after growing pauses", async () => {
  const question = { method: "elicitation/create", params: { message: "Sure?" } };
  const asking = { ...later, inputRequests: { sure: question } };
  const results = [later, later, later, asking, later, { resultType: "complete", content: [] }];
  const transport = answeringTransport(results);
  const pauses: number[] = [];
  const client = await openMcpClient(transport, {
    info: { name: "test", version: "1" },
    capabilities: {},
    ask: async () => ({ action: "accept" }),
    pause: async (ms) => void pauses.push(ms),
  });
  expect(await client.request("tools/call", { name: "busy" }, { timeoutMs: 0 })).toMatchObject({ content: [] });
  expect(pauses).toEqual([100, 200, 400, 100]);
  expect(transport.sent).toHaveLength(6);
});

test("a server that never stops asking nothing fails the call, and a caller that stops ends the pause", async () => {
  const pauses: number[] = [];
  const stop = new AbortController();
  const open = (pause?: (ms: number) => Promise<void>) =>
    openMcpClient(answeringTransport([later]), { info: { name: "test", version: "1" }, capabilities: {}, pause });
  const client = await open(async (ms) => void pauses.push(ms));
  await expect(client.request("tools/call", {}, { timeoutMs: 0 })).rejects.toMatchObject({ code: "outcome-unknown" });
  expect([pauses.length, pauses.at(-1)]).toEqual([20, 5000]);
  const stopped = (await open()).request("tools/call", {}, { timeoutMs: 0, signal: stop.signal });
  setImmediate(() => setImmediate(() => stop.abort()));
  await expect(stopped).rejects.toMatchObject({ code: "cancelled" });
});
