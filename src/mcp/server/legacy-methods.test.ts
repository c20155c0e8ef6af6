import { describe, expect, test } from "vitest";
import { negotiate, talkTo } from "../../../tests/support/mcp/talk.ts";
import { testOffer } from "../../../tests/support/mcp/test-offer.ts";
import { createMcpServer } from "./mcp-server.ts";

const uri = "test://one";

describe("list changes", () => {
  test("are told to clients that have shaken hands, while they are there", async () => {
    const offer = testOffer();
    const server = createMcpServer(offer);
    const stranger = talkTo(server);
    const talk = await negotiate(server, "2025-11-25");
    for (const kind of ["tools", "prompts", "resources"] as const) offer.change(kind);
    expect(talk.sent).toEqual(
      ["tools", "prompts", "resources"].map((kind) => ({
        jsonrpc: "2.0",
        method: `notifications/${kind}/list_changed`,
      })),
    );
    talk.peer.close("gone");
    offer.change("tools");
    expect(talk.sent).toHaveLength(3);
    expect(stranger.sent).toEqual([]);
  });
});

describe("tools/list", () => {
  test("has no schema of a result that is not an object: libraries before 2026-07-28 refuse the whole list", async () => {
    const inputSchema = { type: "object" };
    const schemas = [
      { type: "array" },
      {},
      { type: "object", properties: { a: true } },
      { type: "object", required: 1 },
      { type: "object", required: ["a", null] },
    ];
    const kept = {
      name: "kept",
      inputSchema,
      outputSchema: { type: "object", properties: { a: {} }, required: ["a"] },
    };
    const tools = [kept, ...schemas.map((outputSchema, at) => ({ name: `t${at}`, inputSchema, outputSchema }))];
    const offer = testOffer();
    const server = createMcpServer({ ...offer, tools: { ...offer.tools!, list: () => tools } });
    const { result } = await (await negotiate(server, "2025-11-25")).ask("tools/list");
    expect(result).toEqual({ tools: [kept, ...schemas.map((_, at) => ({ name: `t${at}`, inputSchema }))] });
  });
});

describe("resources/subscribe", () => {
  test("tells of each update until it is taken back", async () => {
    const offer = testOffer();
    const talk = await negotiate(createMcpServer(offer), "2025-11-25");
    expect((await talk.ask("resources/subscribe", { uri })).result).toEqual({});
    expect((await talk.ask("resources/subscribe", { uri })).result).toEqual({});
    offer.update(uri);
    expect(talk.sent).toEqual([{ jsonrpc: "2.0", method: "notifications/resources/updated", params: { uri } }]);
    expect((await talk.ask("resources/unsubscribe", { uri })).result).toEqual({});
    offer.update(uri);
    expect(talk.sent).toHaveLength(1);
    expect(offer.watchers(uri)).toBe(0);
  });

  test("ends with the client", async () => {
    const offer = testOffer();
    const talk = await negotiate(createMcpServer(offer), "2025-11-25");
    await talk.ask("resources/subscribe", { uri });
    talk.peer.close("gone");
    expect(offer.watchers(uri)).toBe(0);
  });

  test.each(["unsubscribe", "close"] as const)(
    "that is still under way at the %s watches nothing after it",
    async (how) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const offer = testOffer({ beforeWatch: () => promise });
      const talk = await negotiate(createMcpServer(offer), "2025-11-25");
      const subscribed = talk.ask("resources/subscribe", { uri });
      if (how === "close") talk.peer.close("gone");
      else await talk.ask("resources/unsubscribe", { uri });
      resolve();
      await subscribed;
      expect(offer.watchers(uri)).toBe(0);
    },
  );

  test("again after it was taken back while under way watches once", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const offer = testOffer({ beforeWatch: () => promise });
    const talk = await negotiate(createMcpServer(offer), "2025-11-25");
    const first = talk.ask("resources/subscribe", { uri });
    await talk.ask("resources/unsubscribe", { uri });
    const second = talk.ask("resources/subscribe", { uri });
    resolve();
    await Promise.all([first, second]);
    expect(offer.watchers(uri)).toBe(1);
  });

  test("that fails can be tried again", async () => {
    let isThere = false;
    const offer = testOffer({
      beforeWatch: () => (isThere ? Promise.resolve() : Promise.reject(new Error("not yet"))),
    });
    const talk = await negotiate(createMcpServer(offer), "2025-11-25");
    expect((await talk.ask("resources/subscribe", { uri })).error).toMatchObject({ code: -32603 });
    isThere = true;
    expect((await talk.ask("resources/subscribe", { uri })).result).toEqual({});
    expect(offer.watchers(uri)).toBe(1);
  });

  test("takes a thousand addresses of one client, and no more", async () => {
    const offer = testOffer();
    const talk = await negotiate(createMcpServer(offer), "2025-11-25");
    for (let n = 0; n < 1000; n++) await talk.ask("resources/subscribe", { uri: `test://${n}` });
    expect((await talk.ask("resources/subscribe", { uri })).error.message).toContain("1000");
    expect(offer.watchers(uri)).toBe(0);
  });

  test("wants an address that is a text", async () => {
    const talk = await negotiate(createMcpServer(testOffer()), "2025-11-25");
    for (const method of ["resources/subscribe", "resources/unsubscribe"]) {
      expect((await talk.ask(method, { uri: 1 })).error).toMatchObject({ code: -32602 });
    }
  });
});
