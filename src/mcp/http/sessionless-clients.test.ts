import { describe, expect, test } from "vitest";
import { initialize } from "../../../tests/support/mcp/messages.ts";
import { testOffer } from "../../../tests/support/mcp/test-offer.ts";
import { call, openWeb } from "../../../tests/support/mcp/web.ts";
import { until } from "../../../tests/support/until.ts";
import { textResult } from "../messages/tool.ts";
import type { RequestContext } from "../server/offer.ts";

const foreign = { "mcp-session-id": "somebody-elses", "mcp-protocol-version": "2025-11-25" };

test("an endpoint without sessions opens none and ignores the header of another", async () => {
  await using web = await openWeb(testOffer(), { sessions: false });
  const params = initialize("2025-11-25");
  const hello = await web.post({ jsonrpc: "2.0", id: 0, method: "initialize", params }, foreign);
  expect([hello.status, hello.header("mcp-session-id")]).toEqual([200, null]);
  const called = await web.post(call(1, "echo", { text: "there" }), foreign);
  expect((await called.json()).result.content[0].text).toBe("there");
  expect(web.endpoint.sessionCount).toBe(0);
});

test("a stream that listens hears of changes until its client asks to end it", async () => {
  const offer = testOffer();
  await using web = await openWeb(offer, { sessions: false });
  const stream = await web.send("GET", foreign);
  const others = await web.send("GET", { ...foreign, "x-principal": "bert" });
  offer.change("tools");
  expect((await stream.events.next())?.message?.method).toBe("notifications/tools/list_changed");
  expect((await web.send("DELETE", foreign)).status).toBe(204);
  expect(await stream.events.next()).toBeUndefined();
  offer.change("prompts");
  await others.events.next();
  expect((await others.events.next())?.message?.method).toBe("notifications/prompts/list_changed");
});

test("a cancel finds the call of its client, and only that", async () => {
  const stopped: unknown[] = [];
  const wait = ({ who }: Readonly<Record<string, unknown>>, { signal }: { signal: AbortSignal }) =>
    new Promise<never>((_, reject) => {
      started.push(who);
      signal.addEventListener("abort", () => {
        stopped.push(who);
        reject(signal.reason as Error);
      });
    });
  const started: unknown[] = [];
  await using web = await openWeb(testOffer({ tools: { wait } }), { sessions: false });
  const mine = web.post(call(7, "wait", { who: "anna" }));
  void web.post(call(7, "wait", { who: "bert" }), { "x-principal": "bert" }).catch(() => {});
  await until(() => started.length === 2);
  const cancel = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 7 } };
  expect((await web.post(cancel)).status).toBe(202);
  expect((await mine).status).toBe(202);
  expect(stopped).toEqual(["anna"]);
});

test("a cancel that could mean the calls of two clients stops neither", async () => {
  let running = 0;
  const stopped: string[] = [];
  let finish = () => {};
  const wait = (_: unknown, { signal }: { signal: AbortSignal }) =>
    new Promise<ReturnType<typeof textResult>>((resolve) => {
      running++;
      const before = finish;
      finish = () => (before(), resolve(textResult("done")));
      signal.addEventListener("abort", () => stopped.push("one"));
    });
  await using web = await openWeb(testOffer({ tools: { wait } }), { sessions: false });
  const both = [web.post(call(7, "wait")), web.post(call(7, "wait"))];
  await until(() => running === 2);
  await web.post({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 7 } });
  finish();
  expect((await Promise.all(both)).map(({ status }) => status)).toEqual([200, 200]);
  expect(stopped).toEqual([]);
});

test("a client that said it can be asked is asked on its call's own stream and answers with a POST", async () => {
  const ask = async (_: unknown, context: { ask(question: object): Promise<object> }) =>
    textResult(JSON.stringify(await context.ask({ method: "elicitation/create", params: { message: "Sure?" } })));
  await using web = await openWeb(testOffer({ tools: { ask } }), { sessions: false });
  const params = initialize("2025-11-25", { elicitation: {} });
  await (await web.post({ jsonrpc: "2.0", id: 0, method: "initialize", params })).json();
  const called = await web.post(call(1, "ask"));
  const question = (await called.events.next())?.message;
  expect(question).toMatchObject({ method: "elicitation/create", params: { message: "Sure?" } });
  await web.post({ jsonrpc: "2.0", id: question?.id, result: { action: "decline" } }, { "x-principal": "bert" });
  await web.post({ jsonrpc: "2.0", id: question?.id, result: { action: "accept" } });
  expect((await called.events.next())?.message?.result.content[0].text).toBe('{"action":"accept"}');
});

test("a call whose client disconnects is cancelled: no client could resume it", async () => {
  const events: string[] = [];
  const wait = (_: unknown, { signal }: { signal: AbortSignal }) => {
    events.push("started");
    return new Promise<never>(() => signal.addEventListener("abort", () => events.push("stopped")));
  };
  await using web = await openWeb(testOffer({ tools: { wait } }), { sessions: false, streamAfterMs: 5 });
  const reply = await web.post(call(1, "wait"));
  reply.hangUp();
  await until(() => events.length === 2);
  expect(events).toEqual(["started", "stopped"]);
});

describe("what a handshake said of its client", () => {
  const capabilities = { elicitation: {} };
  const hello = { jsonrpc: "2.0", id: 0, method: "initialize", params: initialize("2025-11-25", capabilities) };
  const tellClient = (_: unknown, { client }: RequestContext) => textResult(JSON.stringify(client.capabilities));

  test("outlives requests of the modern era by the same principal", async () => {
    await using web = await openWeb(testOffer({ tools: { who: tellClient } }), { sessions: false });
    await (await web.post(hello)).json();
    expect((await web.modern(1, "tools/list")).status).toBe(200);
    const told = await (await web.post(call(2, "who"), foreign)).json();
    expect(told.result.content[0].text).toBe(JSON.stringify(capabilities));
  });

  test("outlives calls that began before it", async () => {
    const { promise: go, resolve } = Promise.withResolvers<void>();
    let started = false;
    const slow = async () => {
      started = true;
      await go;
      return textResult("done");
    };
    await using web = await openWeb(testOffer({ tools: { who: tellClient, slow } }), { sessions: false });
    const earlier = web.post(call(1, "slow"), foreign);
    await until(() => started);
    await (await web.post(hello)).json();
    resolve();
    await (await earlier).json();
    const told = await (await web.post(call(2, "who"), foreign)).json();
    expect(told.result.content[0].text).toBe(JSON.stringify(capabilities));
  });

  test("and the level it set hold side by side", async () => {
    const speak = (_: unknown, context: RequestContext) => {
      context.tell({ level: "debug", data: "heard" });
      return tellClient(_, context);
    };
    await using web = await openWeb(testOffer({ tools: { speak } }), { sessions: false });
    await (await web.post(hello)).json();
    await web.post({ jsonrpc: "2.0", id: 1, method: "logging/setLevel", params: { level: "debug" } }, foreign);
    const spoken = await web.post(call(2, "speak"), foreign);
    expect((await spoken.events.next())?.message).toMatchObject({ params: { level: "debug", data: "heard" } });
    const answer = (await spoken.events.next())?.message;
    expect(answer?.result.content[0].text).toBe(JSON.stringify(capabilities));
  });
});
