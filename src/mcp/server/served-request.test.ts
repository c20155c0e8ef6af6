import { describe, expect, test } from "vitest";
import { negotiate, talkTo } from "../../../tests/support/mcp/talk.ts";
import { type Handler, testOffer } from "../../../tests/support/mcp/test-offer.ts";
import { Fault } from "../../core/fault.ts";
import { logLevels } from "../messages/interim-messages.ts";
import { parseMessage, RpcFault } from "../messages/json-rpc.ts";
import { textResult } from "../messages/tool.ts";
import { createMcpServer } from "./mcp-server.ts";
import type { RequestContext } from "./offer.ts";

const eras = ["ask", "modern"] as const;

function openServer(tools: Record<string, Handler>) {
  return createMcpServer(testOffer({ tools }));
}

describe("progress", () => {
  const steps =
    (numbers: readonly number[]): Handler =>
    (_args, context) => {
      for (const progress of numbers) context.progress({ progress, total: 9, message: `at ${progress}` });
      return textResult("done");
    };

  test.each(eras)("is sent to a client that gave a token, and only if it grows (%s)", async (era) => {
    const talk = talkTo(openServer({ work: steps([1, 2, 2, 1, Number.NaN, 3]) }));
    await talk[era]("tools/call", { name: "work", _meta: { progressToken: "p" } }, { meta: { progressToken: "p" } });
    expect(talk.sent.map(({ method, params }) => [method, params])).toEqual(
      [1, 2, 3].map((progress) => [
        "notifications/progress",
        { progressToken: "p", progress, total: 9, message: `at ${progress}` },
      ]),
    );
  });

  test.each([undefined, null, {}, true])("is dropped where the token is %j", async (progressToken) => {
    const talk = talkTo(openServer({ work: steps([1, 2]) }));
    await talk.ask("tools/call", { name: "work", _meta: { progressToken } });
    expect(talk.sent).toEqual([]);
  });

  test.each(eras)("and log lines stop with the answer (%s)", async (era) => {
    let kept: RequestContext | undefined;
    const talk = talkTo(openServer({ work: (_args, context) => ((kept = context), textResult("done")) }));
    const meta = { progressToken: 1, "io.modelcontextprotocol/logLevel": "debug" };
    await talk[era]("tools/call", { name: "work", _meta: { progressToken: 1 } }, { meta });
    kept?.progress({ progress: 5 });
    kept?.tell({ level: "error", data: "late" });
    expect(talk.sent).toEqual([]);
  });
});

describe("log lines", () => {
  const shout: Handler = (_args, context) => {
    for (const level of logLevels) context.tell({ level, logger: "t", data: { level } });
    return textResult("said");
  };
  const levels = (sent: readonly { params?: { level?: string } }[]) => sent.map(({ params }) => params?.level);

  test("reach a client of the legacy era from info on, until it sets another level", async () => {
    const talk = await negotiate(openServer({ shout }), "2025-11-25");
    await talk.ask("tools/call", { name: "shout" });
    expect(levels(talk.sent)).toEqual(logLevels.slice(1));
    for (const [at, level] of logLevels.entries()) {
      talk.sent.length = 0;
      expect((await talk.ask("logging/setLevel", { level })).result).toEqual({});
      await talk.ask("tools/call", { name: "shout" });
      expect(levels(talk.sent)).toEqual(logLevels.slice(at));
    }
  });

  test("can't be set to a level that does not exist", async () => {
    for (const level of ["loud", undefined, 3]) {
      expect((await talkTo(openServer({})).ask("logging/setLevel", { level })).error).toMatchObject({ code: -32602 });
    }
  });

  test("reach a modern client only in requests that ask for them", async () => {
    const talk = talkTo(openServer({ shout }));
    await talk.modern("tools/call", { name: "shout" });
    await talk.modern("tools/call", { name: "shout" }, { meta: { "io.modelcontextprotocol/logLevel": "loud" } });
    expect(talk.sent).toEqual([]);
    await talk.modern("tools/call", { name: "shout" }, { meta: { "io.modelcontextprotocol/logLevel": "critical" } });
    expect(levels(talk.sent)).toEqual(["critical", "alert", "emergency"]);
    expect(talk.sent[0]).toEqual({
      jsonrpc: "2.0",
      method: "notifications/message",
      params: { level: "critical", logger: "t", data: { level: "critical" } },
    });
  });
});

describe("a cancelled call", () => {
  /** A handler that never ends by itself, and the promise of its context. */
  function hold() {
    const { promise: started, resolve } = Promise.withResolvers<RequestContext>();
    const wait: Handler = (_args, context) => {
      resolve(context);
      return new Promise((_resolve, reject) => {
        context.signal.addEventListener("abort", () => reject(context.signal.reason as Error));
      });
    };
    return { wait, started };
  }

  test.each(eras)("has no answer, and its handler is told (%s)", async (era) => {
    const { wait, started } = hold();
    const talk = talkTo(openServer({ wait }));
    const answer = talk[era]("tools/call", { name: "wait" });
    const { signal } = await started;
    talk.notify("notifications/cancelled", { requestId: talk.lastId(), reason: "changed my mind" });
    expect(await answer).toEqual({});
    expect(signal.aborted).toBe(true);
    expect(signal.reason).toMatchObject({ code: "cancelled" });
    expect(talk.peer.running.size).toBe(0);
  });

  test.each(eras)("says nothing more, and can't ask (%s)", async (era) => {
    const { promise: go, resolve } = Promise.withResolvers<void>();
    const { promise: asked, resolve: setAsked } = Promise.withResolvers<unknown>();
    const server = openServer({
      deaf: async (_args, context) => {
        await go;
        context.progress({ progress: 1 });
        context.tell({ level: "error", data: "still here" });
        setAsked(context.ask({ method: "roots/list" }).catch((error: unknown) => error));
        return textResult("too late");
      },
    });
    const talk = era === "ask" ? await negotiate(server, "2025-11-25", { roots: {} }) : talkTo(server);
    const meta = { progressToken: 1, "io.modelcontextprotocol/logLevel": "debug" };
    const params = { name: "deaf", _meta: { progressToken: 1 } };
    const answer = talk[era]("tools/call", params, { meta, capabilities: { roots: {} } });
    talk.notify("notifications/cancelled", { requestId: talk.lastId() });
    resolve();
    expect(await answer).toEqual({});
    expect(await asked).toMatchObject({ code: "cancelled" });
    expect(talk.sent).toEqual([]);
  });

  test("is not found under another id, nor under none", async () => {
    const { promise: go, resolve } = Promise.withResolvers<void>();
    const talk = talkTo(openServer({ slow: async () => (await go, textResult("there")) }));
    const answer = talk.ask("tools/call", { name: "slow" });
    for (const requestId of [99, "1", null, {}, undefined]) talk.notify("notifications/cancelled", { requestId });
    talk.notify("notifications/cancelled");
    resolve();
    expect((await answer).result.content[0].text).toBe("there");
  });

  test("whose signal is first looked at afterwards is aborted already", async () => {
    const { promise: go, resolve } = Promise.withResolvers<void>();
    let aborted: boolean | undefined;
    const talk = talkTo(
      openServer({
        slow: async (_args, context) => {
          await go;
          aborted = context.signal.aborted;
          throw new Fault("unavailable", "never mind");
        },
      }),
    );
    const answer = talk.ask("tools/call", { name: "slow" });
    talk.notify("notifications/cancelled", { requestId: 1 });
    resolve();
    expect(await answer).toEqual({});
    expect(aborted).toBe(true);
  });

  test("is one of a client that has gone", async () => {
    const { wait, started } = hold();
    const talk = talkTo(openServer({ wait }), { twoWay: false });
    const answer = talk.modern("tools/call", { name: "wait" });
    await started;
    talk.peer.close("The client went away.");
    expect(await answer).toEqual({});
  });
});

describe("a request that a relay forwards for an older client", () => {
  const page = { mode: "url", url: "https://example.com", message: "Go", elicitationId: "e1" };
  const offer = testOffer({
    tools: {
      ask: async (_args, context) =>
        textResult(JSON.stringify(await context.ask({ method: "elicitation/create", params: page }))),
      fail: () => Promise.reject(new RpcFault({ code: -32042, message: "Go first", data: { elicitations: [page] } })),
    },
  });
  const facts = { capabilities: { elicitation: { url: {} } } };
  const relayed = { ...facts, meta: { "clawport/era": "legacy" } };

  test("gets the numbers and ids of that client's revision, over the modern connection", async () => {
    const talk = talkTo(createMcpServer(offer));
    const read = { uri: "test://none" };
    expect((await talk.modern("resources/read", read, relayed)).error).toMatchObject({ code: -32002, data: read });
    expect((await talk.modern("tools/call", { name: "fail" }, relayed)).error).toMatchObject({
      code: -32042,
      data: { elicitations: [page] },
    });
    const asked = await talk.modern("tools/call", { name: "ask" }, relayed);
    expect(Object.values(asked.result.inputRequests)).toEqual([{ method: "elicitation/create", params: page }]);
    const lacking = { ...relayed, capabilities: {} };
    expect((await talk.modern("tools/call", { name: "ask" }, lacking)).result).toMatchObject({ isError: true });
  });

  test("a modern client gets those of its own", async () => {
    const talk = talkTo(createMcpServer(offer));
    const { error } = await talk.modern("tools/call", { name: "fail" }, facts);
    expect(error).toEqual({ code: -32603, message: "Go first" });
    const asked = await talk.modern("tools/call", { name: "ask" }, facts);
    expect(JSON.stringify(asked.result.inputRequests)).not.toContain("elicitationId");
  });
});

test("the trace of a request is that of `_meta`, else of the headers, and never a mix; it outlives the answer", async () => {
  const kept: RequestContext[] = [];
  const server = openServer({ work: (_args, context) => (kept.push(context), textResult("done")) });
  const { peer } = talkTo(server);
  const headers = { traceparent: "from-header", tracestate: "h=1" };
  for (const meta of [{}, { traceparent: "from-meta" }, { traceparent: "from-meta", tracestate: "m=1" }]) {
    const params = { name: "work", _meta: meta };
    await server.handle(parseMessage({ jsonrpc: "2.0", id: 1, method: "tools/call", params }), peer, {
      send: () => {},
      headers,
    });
  }
  expect(kept.map(({ traceparent, tracestate }) => [traceparent, tracestate])).toEqual([
    ["from-header", "h=1"],
    ["from-meta", undefined],
    ["from-meta", "m=1"],
  ]);
});
