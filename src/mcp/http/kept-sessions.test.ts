import { expect, test } from "vitest";
import { type Handler, testOffer } from "../../../tests/support/mcp/test-offer.ts";
import { call, openWeb } from "../../../tests/support/mcp/web.ts";
import { textResult } from "../messages/tool.ts";
import type { McpOffer } from "../server/offer.ts";
import { readAwaited, writeAwaited } from "./awaited-requests.ts";
import type { KeptSessions, SessionFacts } from "./kept-sessions.ts";

/** Keeps sessions in memory, for two endpoints after each other. */
function keptInMemory(): KeptSessions & { readonly size: number } {
  const facts = new Map<string, SessionFacts>();
  const keyOf = (id: string, principal: string) => `${principal} ${id}`;
  return {
    get size() {
      return facts.size;
    },
    remember: (id, principal, found) => void facts.set(keyOf(id, principal), found),
    recall: (id, principal) => facts.get(keyOf(id, principal)),
    touch: () => {},
    forget: (id, principal) => void facts.delete(keyOf(id, principal)),
  };
}

const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
const progress = (id: string | number, tool: string) => call(id, tool, {}, { progressToken: "p" });

/** Reports progress and never answers. */
const hang: Handler = (_args, context) => {
  context.progress({ progress: 1 });
  return new Promise(() => {});
};

test("a client goes on with its session at the next endpoint, with its revision and its capabilities", async () => {
  const keptSessions = keptInMemory();
  const seen: unknown[] = [];
  const look: Handler = (_args, { protocolVersion, client }) => {
    seen.push([protocolVersion, client.capabilities]);
    return textResult("seen");
  };
  const offer = testOffer({ tools: { look } });
  const first = await openWeb(offer, { keptSessions });
  const session = await first.open("2025-06-18", { elicitation: {} });
  await first[Symbol.asyncDispose]();
  await using second = await openWeb(offer, { keptSessions });
  expect((await second.post(call(1, "look"), session)).status).toBe(200);
  expect(seen).toEqual([["2025-06-18", { elicitation: {} }]]);
  expect((await second.post(ping, { ...session, "x-principal": "eve" })).status).toBe(404);
  expect((await second.send("DELETE", session)).status).toBe(204);
  expect((await second.post(ping, session)).status).toBe(404);
  expect(keptSessions.size).toBe(0);
});

test("a client goes on with its subscriptions and its log level", async () => {
  const keptSessions = keptInMemory();
  const warn: Handler = (_args, context) => {
    context.tell({ level: "warning", data: "hot" });
    return textResult("done");
  };
  const offer = testOffer({ tools: { warn } });
  const first = await openWeb(offer, { keptSessions });
  const session = await first.open();
  const tell = (method: string, params: object) =>
    first.post({ jsonrpc: "2.0", id: 1, method, params }, session).then((reply) => reply.json());
  await tell("resources/subscribe", { uri: "note://a" });
  await tell("resources/subscribe", { uri: "note://b" });
  await tell("resources/unsubscribe", { uri: "note://b" });
  await tell("logging/setLevel", { level: "error" });
  await first[Symbol.asyncDispose]();
  expect(offer.watchers("note://a")).toBe(0);
  await using second = await openWeb(offer, { keptSessions });
  const answer = await second.post(call(1, "warn"), session);
  expect(await answer.text()).not.toContain("hot");
  await expect.poll(() => offer.watchers("note://a")).toBe(1);
  expect(offer.watchers("note://b")).toBe(0);
  const stream = await second.send("GET", { ...session, accept: "text/event-stream" });
  offer.update("note://a");
  // The first event only gives the stream an id.
  expect((await stream.events.next())?.message).toBeUndefined();
  expect((await stream.events.next())?.message).toMatchObject({ params: { uri: "note://a" } });
});

test("a session that is idle for too long is released, and comes back with its client", async () => {
  let now = 0;
  const options = { keptSessions: keptInMemory(), now: () => now, sessionIdleMs: 10, streamAfterMs: 5 };
  await using web = await openWeb(testOffer(), options);
  const session = await web.open();
  now = 1000;
  await expect.poll(() => web.endpoint.sessionCount).toBe(0);
  expect((await web.post(ping, session)).status).toBe(200);
});

test("a handshake that failed leaves no session behind", async () => {
  const keptSessions = keptInMemory();
  const broken = {
    get() {
      throw new Error("broken");
    },
  };
  const offer = Object.create(testOffer(), { instructions: broken }) as McpOffer;
  await using web = await openWeb(offer, { keptSessions });
  await web.open().catch(() => {});
  expect(keptSessions.size).toBe(0);
});

test.for([
  ["a tool call", progress("seven", "hang"), { id: "seven", result: { isError: true } }],
  [
    "another request",
    { jsonrpc: "2.0", id: 8, method: "prompts/get", params: { name: "ask", _meta: { progressToken: "p" } } },
    { id: 8, error: {} },
  ],
] as const)(
  "a client that comes back for %s that was lost learns that its outcome is unknown",
  async ([, message, answer]) => {
    const keptSessions = keptInMemory();
    const prompts = {
      list: () => [{ name: "ask" }],
      get: (_name: string, _args: unknown, context: Parameters<Handler>[1]) => hang({}, context) as Promise<never>,
    };
    const offer = testOffer({ tools: { hang }, parts: { prompts } });
    const first = await openWeb(offer, { keptSessions });
    const session = await first.open();
    const reply = await first.post(message, session);
    const lastEventId = (await reply.events.next())?.id ?? "";
    const closing = first[Symbol.asyncDispose]();
    reply.hangUp();
    await closing;
    await using second = await openWeb(offer, { keptSessions });
    const resumed = await second.send("GET", { ...session, "last-event-id": lastEventId });
    expect(resumed.status).toBe(200);
    const text = await resumed.text();
    expect(text).toContain("may or may not have completed");
    expect(JSON.parse(/^data: (.*)$/m.exec(text)![1]!)).toMatchObject(answer);
  },
);

test("a client of an older revision that waits in silence gets a message that it can come back with", async () => {
  const keptSessions = keptInMemory();
  const offer = testOffer({ tools: { wait: () => new Promise(() => {}) } });
  const first = await openWeb(offer, { keptSessions, streamAfterMs: 5 });
  const session = await first.open("2025-06-18");
  const reply = await first.post(call(7, "wait"), session);
  let event = await reply.events.next();
  while (event?.isComment) event = await reply.events.next();
  expect(event?.message).toMatchObject({
    method: "notifications/message",
    params: { level: "info", logger: "clawport" },
  });
  const closing = first[Symbol.asyncDispose]();
  reply.hangUp();
  await closing;
  await using second = await openWeb(offer, { keptSessions });
  const resumed = await second.send("GET", { ...session, "last-event-id": event?.id ?? "" });
  expect(await resumed.events.messages()).toMatchObject([{ id: 7, result: { isError: true } }]);
});

test("a client that comes back for its notifications is told to look at the lists again, and gets new ones", async () => {
  const keptSessions = keptInMemory();
  const offer = testOffer();
  const first = await openWeb(offer, { keptSessions });
  const session = await first.open();
  const stream = await first.send("GET", session);
  const lastEventId = (await stream.events.next())?.id ?? "";
  await first[Symbol.asyncDispose]();
  await using second = await openWeb(offer, { keptSessions });
  const resumed = await second.send("GET", { ...session, "last-event-id": lastEventId });
  const methods: unknown[] = [];
  const read = async () =>
    methods.push((JSON.parse((await resumed.events.next())?.data || "{}") as { method?: string }).method);
  for (let event = 0; event < 4; event++) await read();
  expect(methods.slice(1)).toEqual(
    ["tools", "resources", "prompts"].map((kind) => `notifications/${kind}/list_changed`),
  );
  offer.change("tools");
  await read();
  expect(methods.at(-1)).toBe("notifications/tools/list_changed");
  resumed.hangUp();
});

test.for([
  [[{ id: 7, method: "tools/call" }], [{ id: 7, isToolCall: true }]],
  [
    [
      { id: "a-b.c", method: "ping" },
      { id: 2, method: "tools/call" },
    ],
    [
      { id: "a-b.c", isToolCall: false },
      { id: 2, isToolCall: true },
    ],
  ],
  [[], []],
  [[{ id: "x".repeat(250), method: "tools/call" }], undefined],
] as const)("an event id says which requests its stream answers: %j", ([requests, found]) => {
  const id = `abc1.${writeAwaited(requests)}-3`;
  expect(id.length).toBeLessThan(400);
  expect(readAwaited(id)).toEqual(found);
});

test.for([
  "",
  "1-1",
  "abc.-",
  "abc.e30-1",
  "abc.W10-1",
  "abc.W251bGxd-1",
  "abc.W1tudWxsLDFdXQ-1",
  "abc.~-1",
  `abc.${"A".repeat(9000)}-1`,
])("an event id that no stream has says nothing: %j", (id) => expect(readAwaited(id)).toBeUndefined());
