import { describe, expect, test } from "vitest";
import { initialize, modernParams } from "../../../tests/support/mcp/messages.ts";
import { type Handler, testOffer } from "../../../tests/support/mcp/test-offer.ts";
import { call, openWeb } from "../../../tests/support/mcp/web.ts";
import { textResult } from "../messages/tool.ts";

const json = { "content-type": "application/json" };
const ping = (id: unknown) => ({ jsonrpc: "2.0", id, method: "ping" });

describe("a POST", () => {
  test("alone, with no handshake and no headers, is answered as JSON", async () => {
    await using web = await openWeb(testOffer());
    const listed = await web.send("POST", {}, JSON.stringify({ jsonrpc: "2.0", id: "l", method: "tools/list" }));
    expect([listed.status, listed.type, listed.header("mcp-session-id")]).toEqual([200, "application/json", null]);
    expect((await listed.json()).result.tools[0].name).toBe("echo");
    const called = await web.post(call(1, "echo", { text: "grüße" }), { accept: "*/*" });
    expect((await called.json()).result.content[0].text).toBe("grüße");
    expect(web.endpoint.sessionCount).toBe(0);
  });

  test("of either era is answered on the same address", async () => {
    await using web = await openWeb(testOffer());
    const session = await web.open();
    const legacy = await web.post(call(1, "echo", { text: "old" }), session);
    const modern = await web.modern(2, "tools/call", { name: "echo", arguments: { text: "new" } });
    expect([legacy.type, modern.type]).toEqual(["application/json", "application/json"]);
    expect((await legacy.json()).result).not.toHaveProperty("resultType");
    expect((await modern.json()).result).toMatchObject({ resultType: "complete", content: [{ text: "new" }] });
  });

  test.each([
    ["tools/call", { name: "echo" }, 200],
    ["tools/no-such", {}, 404],
    ["tools/call", { name: "gone" }, 400],
    ["tasks/get", { taskId: "t" }, 400],
  ])("of the modern era, %s with %j, has the status %i", async (method, params, status) => {
    await using web = await openWeb(testOffer());
    const reply = await web.modern(1, method, params);
    expect(reply.status).toBe(status);
    expect(await reply.json()).toMatchObject({ jsonrpc: "2.0", id: 1 });
  });

  test("whose modern headers do not fit is refused with 400 and its id", async () => {
    await using web = await openWeb(testOffer());
    const message = { jsonrpc: "2.0", id: "m", method: "tools/list", params: modernParams() };
    for (const [headers, code] of [
      [{}, -32020],
      [{ "mcp-protocol-version": "2026-07-28" }, -32020],
      [{ "mcp-protocol-version": "2025-11-25", "mcp-method": "tools/list" }, -32020],
    ] as const) {
      const reply = await web.post(message, headers);
      expect([reply.status, (await reply.json()).error.code]).toEqual([400, code]);
    }
    const unknown = await web.post({ ...message, params: {} }, { "mcp-protocol-version": "2030-01-01" });
    expect([unknown.status, await unknown.json()]).toEqual([
      400,
      expect.objectContaining({ id: "m", error: expect.objectContaining({ code: -32022 }) }),
    ]);
  });

  test("of the older revisions has the status 200 even where the answer is an error", async () => {
    await using web = await openWeb(testOffer());
    expect((await web.post({ jsonrpc: "2.0", id: 1, method: "no/such" })).status).toBe(200);
    expect((await web.post(call(1, "gone"))).status).toBe(200);
  });

  test.each([
    ['{"jsonrpc":', null, -32700],
    ["", null, -32700],
    [Buffer.from([0x22, 0xff, 0x22]), null, -32700],
    ['"text"', null, -32600],
    ['{"jsonrpc":"1.0","id":7,"method":"ping"}', 7, -32600],
    ['{"jsonrpc":"2.0","id":"x","method":1}', "x", -32600],
    ['{"jsonrpc":"2.0","id":8,"method":"ping","params":[]}', 8, -32602],
  ])("of %j is refused with 400", async (body, id, code) => {
    await using web = await openWeb(testOffer());
    const reply = await web.send("POST", json, body);
    expect(reply.status).toBe(400);
    expect(await reply.json()).toMatchObject({ id, error: { code } });
    expect((await web.post(ping(1))).status).toBe(200);
  });

  test.each([{}, { "mcp-protocol-version": "2026-07-28" }, { "mcp-protocol-version": "2025-11-25" }])(
    "of a notification or a response is accepted without a body (%j)",
    async (headers) => {
      await using web = await openWeb(testOffer());
      for (const message of [
        { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } },
        { jsonrpc: "2.0", id: "ask-1", result: {} },
      ]) {
        const reply = await web.post(message, headers);
        expect([reply.status, await reply.text()]).toEqual([202, ""]);
      }
    },
  );

  test("with a version that no revision has is refused", async () => {
    await using web = await openWeb(testOffer());
    const reply = await web.post(
      { jsonrpc: "2.0", method: "notifications/initialized" },
      { "mcp-protocol-version": "x" },
    );
    expect(reply.status).toBe(400);
  });

  test("whose answer JSON can't hold is an error with its id, streamed or not", async () => {
    const big: Handler = (_args, context) => {
      context.progress({ progress: 1 });
      return { content: [], structuredContent: 1n };
    };
    await using web = await openWeb(testOffer({ tools: { big } }));
    const session = await web.open();
    for (const headers of [{}, session]) {
      const plain = await web.post(call(1, "big"), headers);
      expect(await plain.json()).toMatchObject({ id: 1, error: { code: -32603 } });
      const streamed = await web.post(call(2, "big", {}, { progressToken: 1 }), headers);
      expect((await streamed.events.messages()).at(-1)).toMatchObject({ id: 2, error: { code: -32603 } });
    }
  });
});

describe("other methods", () => {
  test.each(["PUT", "PATCH", "OPTIONS"])("%s does not exist", async (method) => {
    await using web = await openWeb(testOffer());
    const reply = await web.send(method);
    expect([reply.status, reply.header("allow")]).toEqual([405, "GET, POST, DELETE"]);
    expect(await reply.json()).toMatchObject({ error: { code: -32600, message: expect.stringMatching(/^Use POST/) } });
  });

  test("a GET needs a session, and has to want events", async () => {
    await using web = await openWeb(testOffer());
    const lone = await web.send("GET");
    expect([lone.status, lone.header("allow")]).toEqual([405, "POST"]);
    expect((await web.send("GET", { accept: "text/html" })).status).toBe(400);
  });
});

describe("batches over HTTP", () => {
  const batch = [ping(1), { jsonrpc: "2.0", method: "notifications/x" }, { jsonrpc: "2.0", id: 2 }];

  test.each([undefined, "2024-11-05", "2025-03-26"])("are answered as one with %s", async (version) => {
    await using web = await openWeb(testOffer());
    const headers = version ? await web.open(version) : {};
    const reply = await web.post(batch, headers);
    expect([reply.status, reply.type]).toEqual([200, "application/json"]);
    expect(await reply.json()).toMatchObject([
      { id: 1, result: {} },
      { id: 2, error: { code: -32600 } },
    ]);
  });

  test.each(["2025-06-18", "2025-11-25"])("do not exist with %s", async (version) => {
    await using web = await openWeb(testOffer());
    for (const headers of [await web.open(version), { "mcp-protocol-version": version }]) {
      const reply = await web.post(batch, headers);
      expect([reply.status, (await reply.json()).error.code]).toEqual([400, -32600]);
    }
    expect((await web.post(batch, { "mcp-protocol-version": "2026-07-28" })).status).toBe(400);
  });

  test("can't be empty, nor longer than a hundred, nor hold a handshake", async () => {
    await using web = await openWeb(testOffer());
    for (const wrong of [[], Array.from({ length: 101 }, (_, id) => ping(id))]) {
      expect((await web.post(wrong)).status).toBe(400);
    }
    const shake = { jsonrpc: "2.0", id: 1, method: "initialize", params: initialize("2025-03-26") };
    expect(await (await web.post([shake])).json()).toMatchObject([{ id: 1, error: { code: -32600 } }]);
    expect(web.endpoint.sessionCount).toBe(0);
  });

  test("can't hold modern requests, whose headers nobody could compare", async () => {
    await using web = await openWeb(testOffer());
    const modern = { jsonrpc: "2.0", id: 1, method: "tools/list", params: modernParams() };
    const listen = { ...modern, id: 2, method: "subscriptions/listen" };
    expect(await (await web.post([modern, listen, ping(3)])).json()).toMatchObject([
      { id: 1, error: { code: -32600 } },
      { id: 2, error: { code: -32600 } },
      { id: 3, result: {} },
    ]);
  });

  test("of notifications alone are accepted", async () => {
    await using web = await openWeb(testOffer());
    expect((await web.post([{ jsonrpc: "2.0", method: "notifications/initialized" }])).status).toBe(202);
  });

  test("stream when one of their calls does", async () => {
    const work: Handler = (_args, context) => (context.progress({ progress: 1 }), textResult("done"));
    await using web = await openWeb(testOffer({ tools: { work } }));
    const reply = await web.post([ping(1), call(2, "work", {}, { progressToken: "p" })]);
    expect(reply.type).toBe("text/event-stream");
    const messages = await reply.events.messages();
    expect(messages.map(({ id, method }) => id ?? method)).toEqual(["notifications/progress", 1, 2]);
  });
});
