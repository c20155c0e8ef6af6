import { Agent, request } from "node:http";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { heapInUse } from "../../../tests/support/collect-garbage.ts";
import { initialize } from "../../../tests/support/mcp/messages.ts";
import { type Handler, testOffer } from "../../../tests/support/mcp/test-offer.ts";
import { call, openWeb } from "../../../tests/support/mcp/web.ts";
import { textResult } from "../messages/tool.ts";

const shake = { jsonrpc: "2.0", id: 0, method: "initialize", params: initialize("2025-03-26") };
const subscribe = { jsonrpc: "2.0", id: 1, method: "resources/subscribe", params: { uri: "test://one" } };

test("two thousand sessions that were opened, used and deleted leak no memory", async () => {
  const work: Handler = (_args, context) => {
    context.progress({ progress: 1 });
    context.signal.addEventListener("abort", () => {});
    return textResult("x".repeat(1000));
  };
  const offer = testOffer({ tools: { work } });
  await using web = await openWeb(offer);
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });

  function send(method: string, sessionId: string | undefined, message?: object): Promise<string | undefined> {
    return new Promise((resolve, reject) => {
      const headers = {
        accept: "application/json, text/event-stream",
        ...(sessionId === undefined ? {} : { "mcp-session-id": sessionId }),
      };
      request({ port: web.port, method, agent, headers }, (response) => {
        text(response).then(() => resolve(response.headers["mcp-session-id"] as string | undefined), reject);
      })
        .on("error", reject)
        .end(message && JSON.stringify(message));
    });
  }

  async function live(): Promise<void> {
    const id = await send("POST", undefined, shake);
    await send("POST", id, [subscribe, call(2, "work", {}, { progressToken: 1 })]);
    await send("DELETE", id);
  }

  async function liveThrough(count: number): Promise<number> {
    for (let n = 0; n < count; n += 8) await Promise.all(Array.from({ length: 8 }, live));
    return heapInUse();
  }

  const before = await liveThrough(200);
  const after = await liveThrough(2000);
  agent.destroy();
  expect([web.endpoint.sessionCount, offer.watchers("test://one")]).toEqual([0, 0]);
  // A session that stayed would cost some kilobytes: two megabytes are one each.
  expect(after - before).toBeLessThan(2_000_000);
}, 60_000);
