import { describe, expect, test } from "vitest";
import { initialize, modernParams } from "../../../tests/support/mcp/messages.ts";
import { negotiate, talkTo } from "../../../tests/support/mcp/talk.ts";
import { type Handler, testOffer } from "../../../tests/support/mcp/test-offer.ts";
import { Fault } from "../../core/fault.ts";
import { textResult } from "../messages/tool.ts";
import { answerMessage, createMcpServer } from "./mcp-server.ts";

const tool = { name: "count", inputSchema: { type: "object" } };
const server = createMcpServer({
  info: { name: "test", version: "1" },
  tools: {
    list: () => [tool],
    find: (name) => (name === "count" ? tool : undefined),
    call(_, __, context) {
      context.progress({ progress: 1, total: 2 });
      context.progress({ progress: 2, total: 2 });
      return textResult("done");
    },
  },
});
const peer = server.openPeer({ principal: "main", twoWay: false });

test("what comes before the answer stands before it", async () => {
  const params = { name: "count", arguments: {}, _meta: { progressToken: "p" } };
  const messages = await answerMessage(server, peer, { jsonrpc: "2.0", id: 7, method: "tools/call", params });
  expect(messages).toMatchObject([
    { method: "notifications/progress", params: { progressToken: "p", progress: 1 } },
    { method: "notifications/progress", params: { progressToken: "p", progress: 2 } },
    { id: 7, result: { content: [{ text: "done" }] } },
  ]);
});

test("a notification leads to nothing, and what is no message is a fault", async () => {
  expect(await answerMessage(server, peer, { jsonrpc: "2.0", method: "notifications/initialized" })).toEqual([]);
  await expect(answerMessage(server, peer, { hello: 1 })).rejects.toMatchObject({ code: "bad-request" });
});

const legacy = ["2024-10-07", "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

function openServer(tools: Record<string, Handler> = {}) {
  return createMcpServer(testOffer({ tools }));
}

describe("how a client opens", () => {
  test.each(legacy)("initialize with %s settles that revision", async (version) => {
    const { result } = await talkTo(openServer()).ask("initialize", initialize(version));
    expect(result).toMatchObject({ protocolVersion: version, serverInfo: { name: "test" } });
  });

  test.each(["2026-07-28", "1999-01-01", undefined, 7])(
    "initialize with %j settles the newest with a handshake",
    async (version) => {
      const { result } = await talkTo(openServer()).ask("initialize", { ...initialize(""), protocolVersion: version });
      expect(result.protocolVersion).toBe("2025-11-25");
    },
  );

  test("the capabilities are those of the offer", async () => {
    const whole = await talkTo(openServer()).ask("initialize", initialize("2025-11-25"));
    expect(whole.result.capabilities).toEqual({
      tools: { listChanged: true },
      resources: { subscribe: true, listChanged: true },
      prompts: { listChanged: true },
      completions: {},
      logging: {},
      tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } },
    });
    const bare = talkTo(createMcpServer({ info: { name: "bare", version: "1" }, instructions: () => "Be kind." }));
    expect((await bare.ask("initialize", initialize("2025-11-25"))).result).toMatchObject({
      capabilities: { logging: {} },
      instructions: "Be kind.",
    });
    expect((await bare.ask("tools/list")).error).toMatchObject({ code: -32601 });
  });

  test("a modern client learns by server/discover what there is", async () => {
    const { result } = await talkTo(openServer()).modern("server/discover");
    expect(result).toMatchObject({
      resultType: "complete",
      supportedVersions: ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", "2024-10-07"],
      ttlMs: 0,
      cacheScope: "private",
      _meta: { "io.modelcontextprotocol/serverInfo": { name: "test", version: "1.0.0" } },
    });
    expect(result.capabilities.extensions).toEqual({ "io.modelcontextprotocol/tasks": {} });
  });

  test("the lists of a modern client have a lifetime, unless they are not complete yet", async () => {
    let isSettled = false;
    const talk = talkTo(createMcpServer({ ...testOffer(), isSettled: () => isSettled }));
    const methods = ["tools/list", "prompts/list", "resources/list", "resources/templates/list"];
    const lifetimes = async () =>
      Promise.all(methods.map(async (method) => (await talk.modern(method)).result.ttlMs as number));
    expect(await lifetimes()).toEqual([0, 0, 0, 0]);
    isSettled = true;
    expect(await lifetimes()).toEqual([60_000, 60_000, 60_000, 60_000]);
  });

  test("a lone request needs no handshake", async () => {
    const talk = talkTo(openServer(), { twoWay: false });
    expect((await talk.ask("tools/list")).result.tools.map((tool: { name: string }) => tool.name)).toEqual(["echo"]);
    const { result } = await talk.ask("tools/call", { name: "echo", arguments: { text: "alone" } });
    expect(result).toEqual({ content: [{ type: "text", text: "alone" }] });
  });

  test("one server answers both eras, even to one client", async () => {
    const talk = await negotiate(openServer(), "2025-06-18");
    expect((await talk.ask("tools/list")).result).not.toHaveProperty("resultType");
    expect((await talk.modern("tools/list")).result).toMatchObject({ resultType: "complete", ttlMs: 60_000 });
    expect((await talk.ask("ping")).result).toEqual({});
  });

  test.each(["ping", "initialize", "logging/setLevel", "resources/subscribe"])(
    "the modern era has no %s",
    async (method) => {
      expect((await talkTo(openServer()).modern(method)).error).toMatchObject({ code: -32601 });
    },
  );

  test.each(["server/discover", "subscriptions/listen"])("%s without _meta is told what is missing", async (method) => {
    const { error } = await talkTo(openServer()).ask(method);
    expect(error).toMatchObject({ code: -32602 });
    expect(error.message).toContain("io.modelcontextprotocol/protocolVersion");
  });

  test("a modern request has to say what the client can do", async () => {
    const _meta = { "io.modelcontextprotocol/protocolVersion": "2026-07-28" };
    const { error } = await talkTo(openServer()).ask("tools/list", { _meta });
    expect(error.message).toContain("clientCapabilities");
  });

  test("an unknown version is answered with the supported ones", async () => {
    const _meta = { "io.modelcontextprotocol/protocolVersion": "2031-01-01" };
    const { error } = await talkTo(openServer()).ask("tools/list", { _meta });
    expect(error).toMatchObject({ code: -32022, data: { requested: "2031-01-01" } });
    expect(error.data.supported).toContain("2026-07-28");
  });
});

describe("a tool call", () => {
  test("of a tool that is not there is a protocol error", async () => {
    const { error } = await talkTo(openServer()).ask("tools/call", { name: "gone" });
    expect(error).toMatchObject({ code: -32602, message: expect.stringContaining('Unknown tool: "gone"') });
  });

  test.each([[{}], [{ name: 1 }], [{ name: "echo", arguments: [] }], [{ name: "echo", arguments: "x" }]])(
    "with the params %j is a protocol error",
    async (params) => {
      expect((await talkTo(openServer()).ask("tools/call", params)).error).toMatchObject({ code: -32602 });
    },
  );

  test.each(["ask", "modern"] as const)("with wrong arguments is a result that names the field (%s)", async (era) => {
    const inputSchema = { type: "object", properties: { count: { type: "integer" } }, required: ["count"] };
    const server = createMcpServer(testOffer({ definitions: { echo: { inputSchema } } }));
    const { result } = await talkTo(server)[era]("tools/call", { name: "echo", arguments: { count: "many" } });
    expect(result).toMatchObject({ isError: true });
    expect(result.content[0].text).toMatch(/Wrong arguments for echo: .*count/);
  });

  test("that throws is a result with the error's text", async () => {
    const server = openServer({
      fail: () => {
        throw new Error("The disk is full.");
      },
      reject: () => Promise.reject(new Fault("unavailable", "Nobody is there.")),
    });
    for (const [name, text] of [
      ["fail", "The disk is full."],
      ["reject", "Nobody is there."],
    ]) {
      const expected = { content: [{ type: "text", text }], isError: true };
      expect((await talkTo(server).ask("tools/call", { name })).result).toEqual(expected);
      expect((await talkTo(server).modern("tools/call", { name })).result).toMatchObject(expected);
    }
  });

  test("whose server is broken is a protocol error", async () => {
    const server = openServer({
      broken: () => Promise.reject(new Fault("internal", "A table is missing.")),
      gone: () => Promise.reject(new Fault("unknown-tool", "It has just gone.")),
    });
    expect((await talkTo(server).ask("tools/call", { name: "broken" })).error).toEqual({
      code: -32603,
      message: "A table is missing.",
    });
    expect((await talkTo(server).modern("tools/call", { name: "gone" })).error).toMatchObject({ code: -32602 });
  });

  test("of a tool that runs only as a task needs a client that knows tasks", async () => {
    const server = createMcpServer(testOffer({ definitions: { echo: { execution: { taskSupport: "required" } } } }));
    const { error } = await talkTo(server).modern("tools/call", { name: "echo" });
    expect(error).toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { extensions: { "io.modelcontextprotocol/tasks": {} } } },
    });
  });

  test("carries what the tool found out about its request", async () => {
    let seen: unknown;
    const server = openServer({
      look: (_args, { era, principal, protocolVersion, traceparent, client }) => {
        seen = { era, principal, protocolVersion, traceparent, name: client.name };
        return { content: [] };
      },
    });
    const meta = { traceparent: "00-1-2-01", "io.modelcontextprotocol/clientInfo": { name: "tester" } };
    await talkTo(server, { principal: "bob" }).modern("tools/call", { name: "look" }, { meta });
    expect(seen).toEqual({
      era: "modern",
      principal: "bob",
      protocolVersion: "2026-07-28",
      traceparent: "00-1-2-01",
      name: "tester",
    });
  });
});

describe("the other features", () => {
  test("a resource that is not there has the code of its era", async () => {
    const talk = talkTo(openServer());
    expect((await talk.ask("resources/read", { uri: "test://none" })).error).toMatchObject({
      code: -32002,
      data: { uri: "test://none" },
    });
    expect((await talk.modern("resources/read", { uri: "test://none" })).error).toMatchObject({ code: -32602 });
    expect((await talk.modern("resources/read", { uri: "test://one" })).result).toMatchObject({
      ttlMs: 0,
      contents: [{ text: "first" }],
    });
  });

  test("a prompt needs its arguments, as texts", async () => {
    const talk = talkTo(openServer());
    expect(
      (await talk.ask("prompts/get", { name: "greet", arguments: { who: "Eve" } })).result.messages[0].content.text,
    ).toBe("Hello Eve");
    for (const params of [
      { name: "none" },
      { name: "greet" },
      { name: "greet", arguments: { who: 1 } },
      { name: "greet", arguments: [] },
    ]) {
      expect((await talk.ask("prompts/get", params)).error).toMatchObject({ code: -32602 });
    }
  });

  test("completion needs a reference and an argument", async () => {
    const talk = talkTo(openServer());
    const good = { ref: { type: "ref/prompt", name: "greet" }, argument: { name: "who", value: "E" } };
    expect((await talk.ask("completion/complete", good)).result).toEqual({ completion: { values: ["E!"] } });
    for (const params of [{}, { ...good, ref: { type: "ref/prompt" } }, { ...good, argument: { name: "who" } }]) {
      expect((await talk.ask("completion/complete", params)).error).toMatchObject({ code: -32602 });
    }
  });

  test("a list longer than a page goes on with its cursor", async () => {
    const list = Array.from({ length: 10_001 }, (_, n) => ({ name: `t${n}`, inputSchema: { type: "object" } }));
    const tools = { list: () => list, find: () => undefined, call: () => ({ content: [] }) };
    const talk = talkTo(createMcpServer({ info: { name: "long", version: "1" }, tools }));
    const first = (await talk.ask("tools/list")).result;
    const second = (await talk.ask("tools/list", { cursor: first.nextCursor })).result;
    expect([first.tools.length, second.tools.length, second.nextCursor]).toEqual([10_000, 1, undefined]);
    for (const cursor of ["from-10002", "x", 1, null]) {
      expect((await talk.ask("tools/list", { cursor })).error).toMatchObject({ code: -32602 });
    }
  });

  test("an unknown method is named in the error, cut short", async () => {
    const { error } = await talkTo(openServer()).ask(`tools/${"x".repeat(5000)}`);
    expect(error.code).toBe(-32601);
    expect(error.message.length).toBeLessThan(200);
  });

  test("an unexpected error goes to the log, not to the client", async () => {
    const logged: unknown[] = [];
    const log = {
      debug() {},
      info() {},
      warn() {},
      error: (...line: unknown[]) => void logged.push(line),
      with: () => log,
    };
    const offer = testOffer({ parts: { complete: () => Promise.reject(new TypeError("secret path")) } });
    const params = { ref: { type: "ref/prompt", name: "greet" }, argument: { name: "who", value: "E" } };
    const { error } = await talkTo(createMcpServer(offer, { log })).ask("completion/complete", params);
    expect(error).toEqual({ code: -32603, message: "Internal error. See the server's log for details." });
    expect(logged).toHaveLength(1);
  });

  test("a closed server has stopped what ran, session or not", async () => {
    const stopped: string[] = [];
    const server = openServer({
      wait: (_args, { signal, era }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => {
            stopped.push(era);
            reject(signal.reason);
          });
        }),
    });
    const session = await negotiate(server, "2025-11-25");
    const alone = talkTo(server, { twoWay: false });
    const answers = [
      session.ask("tools/call", { name: "wait" }),
      alone.say({ jsonrpc: "2.0", id: 1, method: "tools/call", params: modernParams({ name: "wait" }) }),
    ];
    server.close();
    const told = {
      content: [{ type: "text", text: expect.stringContaining("The call may or may not have completed") }],
    };
    expect(await Promise.all(answers)).toMatchObject([{ result: told }, { id: 1, result: told }]);
    expect(stopped.toSorted()).toEqual(["legacy", "modern"]);
  });
});
