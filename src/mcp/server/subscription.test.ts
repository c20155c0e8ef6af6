import { describe, expect, test } from "vitest";
import { modernParams, type Wire, withTasks } from "../../../tests/support/mcp/messages.ts";
import { type Talk, talkTo } from "../../../tests/support/mcp/talk.ts";
import { testOffer } from "../../../tests/support/mcp/test-offer.ts";
import { until } from "../../../tests/support/until.ts";
import { textResult } from "../messages/tool.ts";
import { createMcpServer } from "./mcp-server.ts";
import type { ResourceOffer } from "./offer.ts";

const everything = {
  toolsListChanged: true,
  promptsListChanged: true,
  resourcesListChanged: true,
  resourceSubscriptions: ["test://one"],
};
const acknowledged = "notifications/subscriptions/acknowledged";
const tag = (id: string | number) => ({ "io.modelcontextprotocol/subscriptionId": id });

/** Listens under an id of its own; the promise is that of the listening's end. */
function listen(talk: Talk, id: string | number, notifications: unknown, capabilities: object = {}) {
  const params = modernParams({ notifications }, { capabilities });
  return talk.say({ jsonrpc: "2.0", id, method: "subscriptions/listen", params });
}

const methods = (sent: readonly Wire[]) => sent.map(({ method }) => method);

describe("subscriptions/listen", () => {
  test("beyond the limit of streams is refused to one principal, but not to others", async () => {
    const server = createMcpServer(testOffer());
    const eve = talkTo(server, { principal: "eve", twoWay: false });
    const first = listen(eve, 0, { toolsListChanged: true });
    for (let id = 1; id < 1000; id++) void listen(eve, id, { toolsListChanged: true });
    await until(() => eve.sent.length === 1000);
    expect((await listen(eve, "more", {}))!.error.message).toContain("1000 streams");
    const anna = talkTo(server, { twoWay: false });
    void listen(anna, 1, {});
    await until(() => anna.sent.length === 1);
    eve.notify("notifications/cancelled", { requestId: 0 });
    await first;
    void listen(eve, "again", { toolsListChanged: true });
    await until(() => eve.sent.length === 1001);
    server.close();
  });

  test("says first what it grants, then sends just that, each notice under its id", async () => {
    const offer = testOffer();
    const talk = talkTo(createMcpServer(offer), { twoWay: false });
    void listen(talk, "s", everything);
    await until(() => talk.sent.length === 1);
    expect(talk.sent[0]).toMatchObject({
      method: acknowledged,
      params: { notifications: everything, _meta: tag("s") },
    });
    offer.change("tools");
    offer.change("prompts");
    offer.change("resources");
    offer.update("test://one");
    expect(talk.sent.slice(1).map(({ method, params }) => [method, params])).toEqual([
      ["notifications/tools/list_changed", { _meta: tag("s") }],
      ["notifications/prompts/list_changed", { _meta: tag("s") }],
      ["notifications/resources/list_changed", { _meta: tag("s") }],
      ["notifications/resources/updated", { uri: "test://one", _meta: tag("s") }],
    ]);
  });

  test("sends nothing that was not asked for", async () => {
    const offer = testOffer();
    const talk = talkTo(createMcpServer(offer), { twoWay: false });
    void listen(talk, 1, { promptsListChanged: true, toolsListChanged: false, resourceSubscriptions: ["test://two"] });
    await until(() => talk.sent.length === 1);
    offer.change("tools");
    offer.change("resources");
    offer.update("test://one");
    offer.change("prompts");
    offer.update("test://two");
    expect(methods(talk.sent.slice(1))).toEqual([
      "notifications/prompts/list_changed",
      "notifications/resources/updated",
    ]);
  });

  test("leaves out of its grant what the server does not have", async () => {
    const talk = talkTo(createMcpServer({ info: { name: "bare", version: "1" }, onChange: () => () => {} }));
    void listen(talk, 1, everything);
    await until(() => talk.sent.length === 1);
    expect(talk.sent[0]!.params.notifications).toEqual({});
  });

  test("keeps several apart", async () => {
    const offer = testOffer();
    const talk = talkTo(createMcpServer(offer), { twoWay: false });
    void listen(talk, 1, { toolsListChanged: true });
    void listen(talk, "1", { toolsListChanged: true });
    await until(() => talk.sent.length === 2);
    offer.change("tools");
    expect(talk.sent.slice(2).map(({ params }) => params._meta)).toEqual([tag(1), tag("1")]);
  });

  test("holds back what happens before it is acknowledged, and names an address once", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const offer = testOffer({ beforeWatch: () => promise });
    const talk = talkTo(createMcpServer(offer), { twoWay: false });
    void listen(talk, 1, { toolsListChanged: true, resourceSubscriptions: ["test://one", "test://one"] });
    offer.change("tools");
    resolve();
    await until(() => talk.sent.length === 2);
    expect(methods(talk.sent)).toEqual([acknowledged, "notifications/tools/list_changed"]);
    offer.update("test://one");
    expect(talk.sent).toHaveLength(3);
  });

  test("ends without an answer when it is cancelled, and lets go of what it watched", async () => {
    const offer = testOffer();
    const talk = talkTo(createMcpServer(offer));
    const end = listen(talk, 1, everything);
    await until(() => talk.sent.length === 1);
    expect(offer.watchers("test://one")).toBe(1);
    talk.notify("notifications/cancelled", { requestId: 1 });
    expect(await end).toBeUndefined();
    expect(offer.watchers("test://one")).toBe(0);
    offer.change("tools");
    expect(talk.sent).toHaveLength(1);
  });

  test("that is cancelled before it stands says nothing, and leaves nothing behind", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const offer = testOffer({ beforeWatch: () => promise });
    const talk = talkTo(createMcpServer(offer));
    const end = listen(talk, 1, { resourceSubscriptions: ["test://one", "test://two"] });
    talk.notify("notifications/cancelled", { requestId: 1 });
    resolve();
    await end;
    expect(talk.sent).toEqual([]);
    expect([offer.watchers("test://one"), offer.watchers("test://two")]).toEqual([0, 0]);
  });

  test("ends with its client", async () => {
    const offer = testOffer();
    const talk = talkTo(createMcpServer(offer), { twoWay: false });
    const end = listen(talk, 1, everything);
    await until(() => talk.sent.length === 1);
    talk.peer.close("gone");
    expect(await end).toBeUndefined();
    expect(offer.watchers("test://one")).toBe(0);
  });

  test("ends with a closing server, which says so", async () => {
    for (const twoWay of [true, false]) {
      const server = createMcpServer(testOffer());
      const talk = talkTo(server, { twoWay });
      const end = listen(talk, "s", everything);
      await until(() => talk.sent.length === 1);
      server.close();
      expect(await end).toEqual({
        jsonrpc: "2.0",
        id: "s",
        result: { resultType: "complete", _meta: expect.objectContaining(tag("s")) },
      });
    }
  });

  test.each([undefined, null, "all"])("needs a filter, which %j is not", async (notifications) => {
    const talk = talkTo(createMcpServer(testOffer()));
    expect(await listen(talk, 1, notifications)).toMatchObject({ error: { code: -32602 } });
  });

  test.each([
    { resourceSubscriptions: "test://one" },
    { resourceSubscriptions: [1] },
    { resourceSubscriptions: Array.from({ length: 1001 }, () => "x") },
    { taskIds: {} },
  ])("refuses a filter with a list that is none", async (filter) => {
    expect(await listen(talkTo(createMcpServer(testOffer())), 1, filter)).toMatchObject({ error: { code: -32602 } });
  });

  test("sends log lines about a subscription after the acknowledgement", async () => {
    const { resources, ...offer } = testOffer();
    const watch: ResourceOffer["watch"] = async (uri, listener, context) => {
      context.tell({ level: "notice", data: "Waiting for approval." });
      return resources!.watch!(uri, listener, context);
    };
    const talk = talkTo(createMcpServer({ ...offer, resources: { ...resources!, watch } }));
    const meta = { "io.modelcontextprotocol/logLevel": "debug" };
    const params = modernParams({ notifications: { resourceSubscriptions: ["test://one"] } }, { meta });
    void talk.say({ jsonrpc: "2.0", id: 1, method: "subscriptions/listen", params });
    await until(() => talk.sent.length === 2);
    expect(methods(talk.sent)).toEqual([acknowledged, "notifications/message"]);
  });

  test("refuses a resource that can't be watched, and stops watching the others", async () => {
    const offer = testOffer();
    const { resources } = offer;
    const watch: ResourceOffer["watch"] = async (uri, listener, context) => {
      if (uri === "test://none") throw new Error("There is no such thing.");
      return resources!.watch!(uri, listener, context);
    };
    const talk = talkTo(createMcpServer({ ...offer, resources: { ...resources!, watch } }));
    const answer = await listen(talk, 1, { resourceSubscriptions: ["test://one", "test://none"] });
    expect(answer).toMatchObject({ error: { code: -32603 } });
    expect(offer.watchers("test://one")).toBe(0);
  });
});

describe("notices about tasks", () => {
  const able = { capabilities: withTasks };

  function openServer() {
    const { promise, resolve } = Promise.withResolvers<string>();
    const offer = testOffer({
      tools: {
        call: async (_args, context) => {
          context.detach();
          const text = await promise;
          context.progress({ progress: 1, message: "Nearly." });
          return textResult(text);
        },
      },
    });
    return { server: createMcpServer(offer), resolve };
  }

  test("come for the tasks that were named, with all that tasks/get says", async () => {
    const { server, resolve } = openServer();
    const talk = talkTo(server, { twoWay: false });
    const { taskId } = (await talk.modern("tools/call", { name: "call" }, able)).result;
    await talk.modern("tools/call", { name: "call" }, able);
    void listen(talk, "s", { taskIds: [taskId, "unknown"] }, withTasks);
    await until(() => talk.sent.length === 1);
    expect(talk.sent[0]!.params.notifications).toEqual({ taskIds: [taskId] });
    resolve("done");
    await until(() => talk.sent.length === 3);
    expect(methods(talk.sent.slice(1))).toEqual(["notifications/tasks", "notifications/tasks"]);
    expect(talk.sent[1]!.params).toMatchObject({
      taskId,
      status: "working",
      statusMessage: "Nearly.",
      _meta: tag("s"),
    });
    const { _meta, ...last } = talk.sent[2]!.params;
    expect((await talk.modern("tasks/get", { taskId }, able)).result).toMatchObject(last);
    expect(last).toMatchObject({ status: "completed", result: { content: [{ text: "done" }] } });
  });

  test("do not cover the tasks of other principals", async () => {
    const { server, resolve } = openServer();
    const { taskId } = (await talkTo(server).modern("tools/call", { name: "call" }, able)).result;
    const eve = talkTo(server, { principal: "eve", twoWay: false });
    void listen(eve, 1, { taskIds: [taskId] }, withTasks);
    await until(() => eve.sent.length === 1);
    expect(eve.sent[0]!.params.notifications).toEqual({ taskIds: [] });
    resolve("done");
    await new Promise(setImmediate);
    expect(eve.sent).toHaveLength(1);
  });

  test("need a client that knows tasks", async () => {
    expect(await listen(talkTo(openServer().server), 1, { taskIds: ["t"] })).toMatchObject({
      error: { code: -32021, data: { requiredCapabilities: withTasks } },
    });
  });
});
