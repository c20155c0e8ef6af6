import { once } from "node:events";
import { connect } from "node:net";
import { describe, expect, test } from "vitest";
import { type Handler, testOffer } from "../../../tests/support/mcp/test-offer.ts";
import { call, openWeb } from "../../../tests/support/mcp/web.ts";
import { until } from "../../../tests/support/until.ts";
import { createRequestSlots } from "../../core/http/request-slots.ts";
import { atTurnEnd } from "../../core/http/turn-end.ts";
import { textResult } from "../messages/tool.ts";

const ping = { jsonrpc: "2.0", id: 1, method: "ping" };

function held() {
  let running = 0;
  const { promise, resolve } = Promise.withResolvers<void>();
  const hold: Handler = async (_args, context) => {
    running++;
    context.progress({ progress: 1 });
    const stopped = new Promise<void>((_resolve, reject) => {
      context.signal.addEventListener("abort", () => reject(new Error("stopped")));
    });
    await Promise.race([promise, stopped]);
    return textResult("held");
  };
  return { hold, resolve, running: () => running };
}

describe("as many requests as may be", () => {
  test("leave no room for one more, which is told when to come back", async () => {
    const { hold, resolve, running } = held();
    await using web = await openWeb(testOffer({ tools: { hold } }), { admission: createRequestSlots(2) });
    const session = await web.open();
    const answers = [web.post(call(1, "hold")), web.post(call(2, "hold"), session)];
    await until(() => running() === 2);
    for (const refused of [await web.post(ping), await web.post(ping, session), await web.modern(1, "tools/list")]) {
      expect([refused.status, refused.header("retry-after")]).toEqual([503, "1"]);
      expect(await refused.json()).toMatchObject({ id: null, error: { code: -32603 } });
    }
    expect((await web.send("DELETE", session)).status).toBe(204);
    resolve();
    await Promise.all(answers);
    expect((await web.post(ping)).status).toBe(200);
  });

  test("do not count those that only listen", async () => {
    const admission = createRequestSlots(1);
    await using web = await openWeb(testOffer(), { admission });
    const session = await web.open();
    const streams = [
      await web.modern(1, "subscriptions/listen", { notifications: { toolsListChanged: true } }),
      await web.modern(2, "subscriptions/listen", { notifications: {} }),
      await web.send("GET", session),
    ];
    expect(streams.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(admission.inUse).toBe(0);
    expect((await web.post(ping, session)).status).toBe(200);
  });

  test("become fewer when one breaks off, or is wrong", async () => {
    const { hold, running } = held();
    const admission = createRequestSlots(1);
    await using web = await openWeb(testOffer({ tools: { hold } }), { admission });
    const reply = await web.post(call(1, "hold", {}, { progressToken: 1 }));
    await until(() => running() === 1);
    reply.hangUp();
    await until(() => admission.inUse === 0);
    expect((await web.send("POST", {}, "nonsense")).status).toBe(400);
    expect((await web.post(ping, { "mcp-session-id": "none" })).status).toBe(404);
    expect(admission.inUse).toBe(0);
  });

  test("do not keep out what belongs to them: answers, cancels and other notifications", async () => {
    const { hold, running } = held();
    const admission = createRequestSlots(1);
    await using web = await openWeb(testOffer({ tools: { hold } }), { admission });
    const session = await web.open();
    const answer = web.post(call(1, "hold"), session);
    await until(() => running() === 1);
    expect((await web.post(ping, session)).status).toBe(503);
    expect((await web.post({ jsonrpc: "2.0", id: 9, result: {} }, session)).status).toBe(202);
    const cancel = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } };
    expect((await web.post(cancel, session)).status).toBe(202);
    await until(() => admission.inUse === 0);
    await answer;
  });

  test("hold no slot before their body is complete", async () => {
    const admission = createRequestSlots(1);
    await using web = await openWeb(testOffer(), { admission });
    const socket = connect(web.port, "127.0.0.1");
    await once(socket, "connect");
    socket.write(
      'POST / HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 40\r\n\r\n{"jsonrpc":',
    );
    expect((await web.post(ping)).status).toBe(200);
    socket.write('"2.0","id":1,"method":"ping"}'.padEnd(29));
    expect(String((await once(socket, "data"))[0])).toMatch(/^HTTP\/1\.1 200 /);
    socket.destroy();
  });

  test("of one caller leave room for another, if each has its share", async () => {
    const { hold, resolve, running } = held();
    const admission = createRequestSlots({ max: 2, maxOfOne: 1 });
    await using web = await openWeb(testOffer({ tools: { hold } }), { admission });
    const answer = web.post(call(1, "hold"));
    await until(() => running() === 1);
    const refused = await web.post(ping);
    expect([refused.status, refused.header("retry-after")]).toEqual([503, "1"]);
    expect((await refused.json()).error.message).toBe(
      "This caller has 1 requests in flight, which is its share. Try again in a second.",
    );
    expect((await web.post(ping, { "x-principal": "bert" })).status).toBe(200);
    resolve();
    expect((await answer).status).toBe(200);
  });

  test("may belong to several endpoints together", async () => {
    const { hold, resolve, running } = held();
    const admission = createRequestSlots(1);
    await using first = await openWeb(testOffer({ tools: { hold } }), { admission });
    await using second = await openWeb(testOffer(), { admission });
    const answer = first.post(call(1, "hold"));
    await until(() => running() === 1);
    expect((await second.post(ping)).status).toBe(503);
    resolve();
    expect((await answer).status).toBe(200);
  });
});

describe("waiting for the last one", () => {
  test("is over at once where nobody is inside, else when the last one leaves", async () => {
    const admission = createRequestSlots(2);
    await admission.drained(60_000);
    admission.acquire("anna");
    admission.acquire("anna");
    let isDrained = false;
    const drained = admission.drained(60_000).then(() => (isDrained = true));
    admission.release("anna");
    await new Promise(setImmediate);
    expect(isDrained).toBe(false);
    admission.release("anna");
    expect(await drained).toBe(true);
  });

  test("is not over before the answers of this turn are on their way", async () => {
    const admission = createRequestSlots(1);
    const sent: string[] = [];
    atTurnEnd(() => sent.push("first"));
    await admission.drained(60_000);
    expect(sent).toEqual(["first"]);
    admission.acquire("anna");
    const drained = admission.drained(60_000);
    atTurnEnd(() => sent.push("second"));
    admission.release("anna");
    await drained;
    expect(sent).toEqual(["first", "second"]);
  });

  test("has an end", async () => {
    const admission = createRequestSlots(1);
    admission.acquire("anna");
    await admission.drained(5);
    expect(admission.inUse).toBe(1);
  });
});

test("subscriptions over HTTP end with their connection, and with a closing server by its word", async () => {
  const offer = testOffer();
  const web = await openWeb(offer);
  const notifications = { toolsListChanged: true, resourceSubscriptions: ["test://one"] };
  const lost = await web.modern("lost", "subscriptions/listen", { notifications });
  const kept = await web.modern("kept", "subscriptions/listen", { notifications });
  expect((await lost.events.next())?.message?.method).toBe("notifications/subscriptions/acknowledged");
  await kept.events.next();
  expect(offer.watchers("test://one")).toBe(2);
  lost.hangUp();
  await until(() => offer.watchers("test://one") === 1);
  offer.change("tools");
  expect((await kept.events.next())?.message).toMatchObject({
    method: "notifications/tools/list_changed",
    params: { _meta: { "io.modelcontextprotocol/subscriptionId": "kept" } },
  });
  web.server.close();
  expect(await kept.events.messages()).toMatchObject([{ id: "kept", result: { resultType: "complete" } }]);
  expect(offer.watchers("test://one")).toBe(0);
  await web[Symbol.asyncDispose]();
});
