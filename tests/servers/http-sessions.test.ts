import { describe, expect, test } from "vitest";
import { textOf } from "../support/start-guard.ts";
import { until } from "../support/until.ts";
import { type Exchange, openRogueHttp, type RogueHttp } from "./fixtures/rogue-http.ts";
import { openRogueSse } from "./fixtures/rogue-sse.ts";
import { startEngine } from "../support/start-engine.ts";

test("a session the server forgot is replaced without a word, and the call is sent once more", async () => {
  await using rogue = await openRogueHttp();
  await using engine = await startEngine({ rogue: { url: rogue.url } });
  const before = engine.manager.status("rogue").sessionId;
  rogue.forgetSessions();
  expect(textOf(await engine.call("rogue__write"))).toBe("write ran");
  expect(rogue.runs.get("write")).toBe(1);
  expect(engine.manager.status("rogue")).toMatchObject({ state: "ready", sessionId: "session-2" });
  expect(before).toBe("session-1");
});

test("many calls on a session that is gone get one new session together", async () => {
  await using rogue = await openRogueHttp();
  await using engine = await startEngine({ rogue: { url: rogue.url } });
  rogue.forgetSessions();
  const results = await Promise.all(Array.from({ length: 20 }, () => engine.call("rogue__write")));
  expect(new Set(results.map(textOf))).toEqual(new Set(["write ran"]));
  expect(rogue.runs.get("write")).toBe(20);
  expect(rogue.count("initialize")).toBe(2);
});

test("a list is read again in a new session too", async () => {
  await using rogue = await openRogueHttp();
  await using engine = await startEngine({ rogue: { url: rogue.url } });
  rogue.forgetSessions();
  rogue.tools = [{ name: "new", inputSchema: { type: "object" } }];
  await engine.manager.refresh("rogue");
  expect(engine.toolNames()).toEqual(["rogue__new"]);
  expect(rogue.count("initialize")).toBe(2);
});

test("what the lists are is asked once after connecting", async () => {
  await using rogue = await openRogueHttp();
  await using engine = await startEngine({ rogue: { url: rogue.url } });
  await engine.call("rogue__write");
  expect(rogue.count("tools/list")).toBe(1);
  await engine.manager.refresh("rogue");
  expect(rogue.count("tools/list")).toBe(2);
});

test("a server that never lets a session live is told, not asked for ever", async () => {
  await using rogue = await openRogueHttp();
  await using engine = await startEngine({ rogue: { url: rogue.url } });
  rogue.always("tools/call", ({ fail }) => fail(-32001, "Session not found", 404));
  await expect(engine.call("rogue__write")).rejects.toMatchObject({ message: expect.stringContaining("404") });
  expect(rogue.count("tools/call")).toBe(2);
});

test("the session is ended when the server is let go, and no connection is left", async () => {
  await using rogue = await openRogueHttp();
  const engine = await startEngine({ rogue: { url: rogue.url } });
  await engine[Symbol.asyncDispose]();
  expect(rogue.seen.findLast(({ what }) => what === "DELETE")?.headers["mcp-session-id"]).toBe("session-1");
  await until(() => rogue.connections() === 0);
});

test.each(["legacy", "modern"] as const)(
  "a configured session header is sent with every request and never replaced (%s)",
  async (era) => {
    await using rogue = await openRogueHttp(era);
    rogue.always("notifications/initialized", ({ response }) => void response.writeHead(202).end());
    for (const what of ["tools/list", "tools/call"])
      rogue.always(what, ({ answer }) => answer({ tools: rogue.tools, content: [{ type: "text", text: what }] }));
    const engine = await startEngine({ rogue: { url: rogue.url, headers: { "MCP-Session-Id": "chosen" } } });
    expect(textOf(await engine.call("rogue__write"))).toBe("tools/call");
    await engine[Symbol.asyncDispose]();
    expect(new Set(rogue.seen.map(({ headers }) => headers["mcp-session-id"]))).toEqual(new Set(["chosen"]));
    // The session belongs to the user who chose it.
    expect(rogue.count("DELETE")).toBe(0);
  },
);

/** The server's first stream for notices, which the returned function ends; the next request for it gets 404. */
function endingStream(rogue: RogueHttp): () => Promise<void> {
  const opened = Promise.withResolvers<Exchange>();
  rogue.once("GET", (exchange) => {
    exchange.stream();
    opened.resolve(exchange);
  });
  rogue.once("GET", ({ refuse }) => refuse(-32001, "Session not found", 404));
  return async () => void (await opened.promise).response.end();
}

test("a session that the stream for notices finds gone is replaced without waiting for a call or a heartbeat", async () => {
  await using rogue = await openRogueHttp();
  const endStream = endingStream(rogue);
  await using engine = await startEngine({ rogue: { url: rogue.url, heartbeatMs: 0 } });
  rogue.forgetSessions();
  await endStream();
  await until(() => engine.manager.status("rogue").sessionId === "session-2");
  await until(() => engine.manager.status("rogue").state === "ready");
  expect(rogue.count("initialize")).toBe(2);
});

test("a call that is running when the stream for notices gets 404 still gets its answer, once", async () => {
  await using rogue = await openRogueHttp();
  const endStream = endingStream(rogue);
  await using engine = await startEngine({ rogue: { url: rogue.url, heartbeatMs: 0 } });
  rogue.once("tools/call", async (exchange) => {
    rogue.forgetSessions();
    await endStream();
    await until(() => rogue.count("initialize") === 2);
    exchange.run();
    exchange.answer({ content: [{ type: "text", text: "late" }] });
  });
  expect(textOf(await engine.call("rogue__write"))).toBe("late");
  expect(rogue.runs.get("write")).toBe(1);
});

test("a call that is running when the server refuses heartbeats may have run, and is not repeated", async () => {
  await using rogue = await openRogueHttp();
  await using engine = await startEngine({ rogue: { url: rogue.url, heartbeatMs: 50 } });
  rogue.once("tools/call", ({ run }) => {
    run();
    rogue.always("ping", ({ response }) => void response.writeHead(503).end());
  });
  await expect(engine.call("rogue__write")).rejects.toMatchObject({ code: "outcome-unknown" });
  expect(rogue.runs.get("write")).toBe(1);
});

describe("a server that is replaced by one of the other era at the same address", () => {
  test.each([
    ["legacy", "modern"],
    ["modern", "legacy"],
  ] as const)("%s, then %s: the first call works", async (first, second) => {
    const rogue = await openRogueHttp(first);
    await using engine = await startEngine({ rogue: { url: rogue.url } });
    expect(engine.manager.status("rogue").era).toBe(first);
    await rogue.stop();
    await using other = await openRogueHttp(second, rogue.port);
    expect(textOf(await engine.call("rogue__write"))).toBe("write ran");
    expect(other.runs.get("write")).toBe(1);
    expect(engine.manager.status("rogue").era).toBe(second);
  });
});

test("the era of a server is found out once", async () => {
  await using rogue = await openRogueHttp();
  await using engine = await startEngine({ rogue: { url: rogue.url } });
  rogue.forgetSessions();
  await engine.call("rogue__write");
  expect(rogue.count("server/discover")).toBe(1);
});

test.each([
  [
    "initialize",
    "legacy",
    { protocolVersion: "1999-01-01", capabilities: {}, serverInfo: { name: "r", version: "1" } },
  ],
  ["initialize", "legacy", { capabilities: {} }],
] as const)("%s in the %s era with %j is refused by the version's name", async (method, era, result) => {
  await using rogue = await openRogueHttp(era);
  rogue.once(method, ({ answer }) => answer(result));
  await using engine = await startEngine({ rogue: { url: rogue.url } });
  expect(engine.manager.status("rogue").lastError).toMatch(/protocol version/);
  await engine.manager.refresh("rogue");
  expect(textOf(await engine.call("rogue__write"))).toBe("write ran");
});

test("a server that fails inside over what comes before initialize is taken for an older one", async () => {
  await using rogue = await openRogueHttp();
  rogue.once("server/discover", ({ response }) => void response.writeHead(500).end("Internal Server Error"));
  await using engine = await startEngine({ rogue: { url: rogue.url } });
  expect(engine.manager.status("rogue")).toMatchObject({ state: "ready", era: "legacy" });
});

test("a modern server without a common version is refused by the versions it names", async () => {
  await using rogue = await openRogueHttp("modern");
  rogue.always("server/discover", ({ message, response }) => {
    const error = { code: -32022, message: "Unsupported", data: { supported: ["2031-01-01"] } };
    response.writeHead(400, { "content-type": "application/json" });
    response.end(JSON.stringify({ jsonrpc: "2.0", id: message.id, error }));
  });
  await using engine = await startEngine({ rogue: { url: rogue.url } });
  expect(rogue.count("initialize")).toBe(0);
  await expect(engine.manager.refresh("rogue")).rejects.toMatchObject({
    message: expect.stringContaining("2031-01-01"),
  });
});

test("answers in an array, as servers of 2025-03-26 send them, are read", async () => {
  await using rogue = await openRogueHttp();
  await using engine = await startEngine({ rogue: { url: rogue.url } });
  const notice = { jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: "hello" } };
  const result = { content: [{ type: "text", text: "from a batch" }] };
  rogue.once("tools/call", ({ message, response }) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify([notice, { jsonrpc: "2.0", id: message.id, result }]));
  });
  expect(textOf(await engine.call("rogue__write"))).toBe("from a batch");
  rogue.once("tools/call", ({ message, response, stream }) => {
    stream()([notice, { jsonrpc: "2.0", id: message.id, result }]);
    response.end();
  });
  expect(textOf(await engine.call("rogue__write"))).toBe("from a batch");
  expect(engine.lines.filter(({ message }) => message === "the server says")).toHaveLength(2);
});

describe("HTTP+SSE of 2024-11-05", () => {
  test.each([400, 404, 405, 406])("is tried when the first POST gets %s", async (status) => {
    await using rogue = await openRogueSse({ postStatus: status });
    await using engine = await startEngine({ rogue: { url: rogue.url } });
    expect(textOf(await engine.call("rogue__write"))).toBe("write ran");
    expect(engine.manager.status("rogue")).toMatchObject({ state: "ready", era: "legacy", version: "2024-11-05" });
  });

  test("is not tried after other refusals, and when it fails too the first error is told", async () => {
    await using refusing = await openRogueHttp();
    refusing.always("server/discover", ({ response }) => void response.writeHead(403).end("go away"));
    await using nothing = await openRogueHttp();
    for (const what of ["server/discover", "initialize"])
      nothing.always(what, ({ response }) => void response.writeHead(404).end("no such page here"));
    await using engine = await startEngine({ refusing: { url: refusing.url }, nothing: { url: nothing.url } });
    expect(refusing.count("GET")).toBe(0);
    expect(engine.manager.status("refusing").lastError).toContain("go away");
    expect(nothing.count("GET")).toBe(1);
    expect(engine.manager.status("nothing").lastError).toMatch(/HTTP 404.*no such page here.*2024-11-05 failed too/);
  });

  test("is remembered, and found out anew when the server has changed", async () => {
    const rogue = await openRogueSse({ postStatus: 404 });
    await using engine = await startEngine({ rogue: { url: rogue.url } });
    const posts = rogue.refusedPosts();
    rogue.cut();
    await until(() => engine.manager.status("rogue").state !== "ready");
    expect(textOf(await engine.call("rogue__write"))).toBe("write ran");
    expect(rogue.refusedPosts()).toBe(posts);
    await rogue[Symbol.asyncDispose]();
    await until(() => engine.manager.status("rogue").state !== "ready");
    await using other = await openRogueHttp("legacy", rogue.port);
    expect(textOf(await engine.call("rogue__write"))).toBe("write ran");
    expect(other.runs.get("write")).toBe(1);
  });

  test("whose stream is cut in a call: the outcome is unknown, reads are repeated", async () => {
    await using rogue = await openRogueSse({ postStatus: 405 });
    await using engine = await startEngine({ rogue: { url: rogue.url } });
    rogue.cutNextCall();
    await expect(engine.call("rogue__write")).rejects.toMatchObject({ code: "outcome-unknown" });
    expect(rogue.runs.get("write")).toBe(1);
    rogue.cutNextCall();
    expect(textOf(await engine.call("rogue__read"))).toBe("read ran");
    expect(rogue.runs.get("read")).toBe(2);
  });

  test("that never says where to post is given up in time, and stopping does not wait for it", async () => {
    await using rogue = await openRogueSse({ postStatus: 404, endpoint: undefined });
    await using engine = await startEngine({ rogue: { url: rogue.url, connectTimeoutMs: 500 } });
    expect(engine.manager.status("rogue").lastError).toMatch(/HTTP 404/);
    const patient = await startEngine({ rogue: { url: rogue.url, connectTimeoutMs: 600_000 } }, {}, 100);
    await patient[Symbol.asyncDispose]();
  });

  test("that wants messages sent elsewhere gets none", async () => {
    await using other = await openRogueHttp();
    await using rogue = await openRogueSse({ postStatus: 404, endpoint: other.url });
    await using engine = await startEngine({ rogue: { url: rogue.url } });
    expect(engine.manager.status("rogue").state).toBe("reconnecting");
    expect(other.seen).toEqual([]);
  });
});
