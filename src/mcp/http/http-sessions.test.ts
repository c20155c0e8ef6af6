import { describe, expect, test } from "vitest";
import { type Handler, testOffer } from "../../../tests/support/mcp/test-offer.ts";
import { call, openWeb } from "../../../tests/support/mcp/web.ts";
import { until } from "../../../tests/support/until.ts";
import { textResult } from "../messages/tool.ts";
import type { RequestContext } from "../server/offer.ts";

const ping = { jsonrpc: "2.0", id: 1, method: "ping" };

function held() {
  const contexts: RequestContext[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const hold: Handler = async (_args, context) => {
    contexts.push(context);
    const stopped = new Promise<void>((_resolve, reject) => {
      context.signal.addEventListener("abort", () => reject(new Error("stopped")));
    });
    await Promise.race([promise, stopped]);
    return textResult("held");
  };
  return { hold, contexts, resolve };
}

describe("a session", () => {
  test("begins with initialize, under an id that can't be guessed, and ends with DELETE", async () => {
    await using web = await openWeb(testOffer());
    const first = await web.open();
    const second = await web.open("2025-03-26");
    expect(first["mcp-session-id"]).toMatch(/^[A-Za-z0-9_-]{32}$/);
    expect(first["mcp-session-id"]).not.toBe(second["mcp-session-id"]);
    expect(web.endpoint.sessionCount).toBe(2);
    expect((await web.post(ping, first)).status).toBe(200);
    expect((await web.send("DELETE", first)).status).toBe(204);
    for (const reply of [await web.post(ping, first), await web.send("DELETE", first), await web.send("GET", first)]) {
      expect([reply.status, (await reply.json()).error.code]).toEqual([404, -32001]);
    }
    expect((await web.post(ping, second)).status).toBe(200);
    expect(web.endpoint.sessionCount).toBe(1);
  });

  test("can't be used by another principal, to whom it looks unknown", async () => {
    await using web = await openWeb(testOffer());
    const session = await web.open();
    const eve = { ...session, "x-principal": "eve" };
    const unknown = await (await web.post(ping, { "mcp-session-id": "no-such" })).text();
    for (const reply of [
      await web.post(ping, eve),
      await web.post([ping], eve),
      await web.send("DELETE", eve),
      await web.send("GET", eve),
    ]) {
      expect([reply.status, await reply.text()]).toEqual([404, unknown]);
    }
    expect((await web.post(ping, session)).status).toBe(200);
  });

  test("keeps what its client set: revision and log level", async () => {
    const versions: string[] = [];
    const shout: Handler = (_args, context) => {
      versions.push(context.protocolVersion);
      context.tell({ level: "info", data: "hm" });
      return textResult("said");
    };
    await using web = await openWeb(testOffer({ tools: { shout } }));
    const session = await web.open("2025-06-18");
    expect((await web.post(call(1, "shout"), session)).type).toBe("text/event-stream");
    await web.post({ ...ping, method: "logging/setLevel", params: { level: "error" } }, session);
    expect((await web.post(call(1, "shout"), session)).type).toBe("application/json");
    expect(versions).toEqual(["2025-06-18", "2025-06-18"]);
  });

  test("accepts a cancel for its own calls only", async () => {
    const { hold, contexts } = held();
    await using web = await openWeb(testOffer({ tools: { hold } }));
    const [mine, other] = [await web.open(), await web.open()];
    const answer = web.post(call("c", "hold"), mine);
    await until(() => contexts.length === 1);
    const cancel = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "c" } };
    await web.post(cancel, other);
    expect(contexts[0]!.signal.aborted).toBe(false);
    await web.post(cancel, mine);
    expect([contexts[0]!.signal.aborted, (await answer).status]).toEqual([true, 202]);
  });

  test("that ends stops what it runs, closes its streams and lets go of what it watched", async () => {
    const { hold, contexts } = held();
    const offer = testOffer({ tools: { hold } });
    await using web = await openWeb(offer);
    const session = await web.open();
    await web.post({ ...ping, method: "resources/subscribe", params: { uri: "test://one" } }, session);
    const stream = await web.send("GET", session);
    const answer = web.post(call(1, "hold"), session);
    await until(() => contexts.length === 1);
    expect(offer.watchers("test://one")).toBe(1);
    await web.send("DELETE", session);
    await answer;
    await stream.events.rest();
    expect([contexts[0]!.signal.aborted, offer.watchers("test://one")]).toEqual([true, 0]);
  });

  test("can be asked while a call of it runs", async () => {
    const ask: Handler = async (_args, context) =>
      textResult(JSON.stringify(await context.ask({ method: "roots/list" })));
    await using web = await openWeb(testOffer({ tools: { ask } }));
    const session = await web.open("2025-11-25", { roots: {} });
    const { events } = await web.post(call(1, "ask"), session);
    expect(await events.next()).toMatchObject({ data: "", retry: 3000 });
    const question = (await events.next())?.message;
    expect(question).toMatchObject({ method: "roots/list" });
    const answer = { jsonrpc: "2.0", id: question!.id, result: { roots: [] } };
    expect((await web.post(answer, session)).status).toBe(202);
    expect(await events.messages()).toMatchObject([{ id: 1, result: { content: [{ text: '{"roots":[]}' }] } }]);
  });

  test("with a client that can't be asked makes the tool say so", async () => {
    const ask: Handler = async (_args, context) =>
      textResult(JSON.stringify(await context.ask({ method: "roots/list" })));
    await using web = await openWeb(testOffer({ tools: { ask } }));
    for (const headers of [await web.open(), {}]) {
      expect((await (await web.post(call(1, "ask"), headers)).json()).result.isError).toBe(true);
    }
  });
});

describe("the GET stream of a session", () => {
  test("carries list changes and resource updates, once, whatever else is open", async () => {
    const { hold, contexts, resolve } = held();
    const offer = testOffer({ tools: { hold } });
    await using web = await openWeb(offer);
    const session = await web.open();
    await web.post({ ...ping, method: "resources/subscribe", params: { uri: "test://one" } }, session);
    offer.change("prompts");
    const { events, type } = await web.send("GET", session);
    expect(type).toBe("text/event-stream");
    expect(await events.next()).toMatchObject({ data: "", retry: 3000 });
    const running = web.post(call(1, "hold"), session);
    await until(() => contexts.length === 1);
    offer.change("tools");
    offer.update("test://one");
    resolve();
    expect(await (await running).json()).toMatchObject({ id: 1 });
    expect((await events.next())?.message).toEqual({ jsonrpc: "2.0", method: "notifications/tools/list_changed" });
    expect((await events.next())?.message).toMatchObject({ params: { uri: "test://one" } });
  });

  test("has no event without data for clients that can't handle it", async () => {
    const offer = testOffer();
    await using web = await openWeb(offer);
    const { events } = await web.send("GET", await web.open("2025-06-18"));
    offer.change("tools");
    expect((await events.next())?.message).toMatchObject({ method: "notifications/tools/list_changed" });
  });

  test("is one: a second GET takes it over", async () => {
    const offer = testOffer();
    await using web = await openWeb(offer);
    const session = await web.open("2025-06-18");
    const first = await web.send("GET", session);
    const second = await web.send("GET", session);
    offer.change("tools");
    expect(await first.events.rest()).toEqual([]);
    expect((await second.events.next())?.message).toMatchObject({ method: "notifications/tools/list_changed" });
  });

  test("shows signs of life", async () => {
    await using web = await openWeb(testOffer(), { streamAfterMs: 10 });
    const { events } = await web.send("GET", await web.open("2025-06-18"));
    expect(await events.next()).toMatchObject({ isComment: true });
  });
});

describe("idle sessions", () => {
  const minute = 60_000;

  test("end after the idle time, but not while something runs or listens in them", async () => {
    let now = 0;
    let clockReads = 0;
    const { hold, contexts, resolve } = held();
    await using web = await openWeb(testOffer({ tools: { hold } }), {
      now: () => (clockReads++, now),
      sessionIdleMs: minute,
      streamAfterMs: 10,
    });
    const [idle, running, listening] = [await web.open(), await web.open(), await web.open()];
    const answer = web.post(call(1, "hold"), running);
    const stream = await web.send("GET", listening);
    await until(() => contexts.length === 1);
    now = 2 * minute;
    await until(() => web.endpoint.sessionCount === 2);
    expect((await web.post(ping, idle)).status).toBe(404);
    resolve();
    await answer;
    stream.hangUp();
    await until(() => web.lostResponses === 1);
    // Only the sweep reads the clock now, once for each session: four reads are two sweeps.
    const readsBefore = clockReads;
    await until(() => clockReads >= readsBefore + 4);
    expect(web.endpoint.sessionCount).toBe(2);
    now += 2 * minute;
    await until(() => web.endpoint.sessionCount === 0);
  });

  test("end to make room for new ones, the longest idle first; if all are in use, a new one is refused", async () => {
    let now = 0;
    const { hold, contexts, resolve } = held();
    await using web = await openWeb(testOffer({ tools: { hold } }), { now: () => now++, maxSessions: 2 });
    const [first, second] = [await web.open(), await web.open()];
    await web.post(ping, first);
    const third = await web.open();
    expect((await web.post(ping, second)).status).toBe(404);
    const answers = [web.post(call(1, "hold"), first), web.post(call(1, "hold"), third)];
    await until(() => contexts.length === 2);
    const refused = await web.post({ ...ping, method: "initialize", params: {} });
    expect([refused.status, refused.header("retry-after")]).toEqual([503, "1"]);
    resolve();
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200]);
  });

  test("of one principal are bounded, and make room among themselves", async () => {
    let now = 0;
    await using web = await openWeb(testOffer(), { now: () => now++, maxSessionsOfOne: 2 });
    const mine = await web.open();
    const open = async () => {
      const reply = await web.post({ ...ping, method: "initialize", params: {} }, { "x-principal": "eve" });
      return { "mcp-session-id": reply.header("mcp-session-id")!, "x-principal": "eve" };
    };
    const eves = [await open(), await open(), await open()];
    const statuses = [];
    for (const session of [mine, ...eves]) statuses.push((await web.post(ping, session)).status);
    expect(statuses).toEqual([200, 404, 200, 200]);
  });

  test("of the principal that has the most end first when there are too many in total", async () => {
    let now = 0;
    await using web = await openWeb(testOffer(), { now: () => now++, maxSessions: 3 });
    const mine = await web.open();
    for (let count = 0; count < 5; count++) {
      await web.post({ ...ping, method: "initialize", params: {} }, { "x-principal": "eve" });
    }
    expect((await web.post(ping, mine)).status).toBe(200);
    expect(web.endpoint.sessionCount).toBe(3);
  });
});
