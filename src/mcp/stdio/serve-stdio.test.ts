import { spawn } from "node:child_process";
import { once } from "node:events";
import { PassThrough, Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { initialize, modernParams } from "../../../tests/support/mcp/messages.ts";
import { openPipe } from "../../../tests/support/mcp/pipe.ts";
import { type Handler, testOffer } from "../../../tests/support/mcp/test-offer.ts";
import { until } from "../../../tests/support/until.ts";
import { parseMessage } from "../messages/json-rpc.ts";
import { textResult } from "../messages/tool.ts";
import { createMcpServer } from "../server/mcp-server.ts";
import { serveStdio } from "./serve-stdio.ts";
import { program } from "../../../tests/setup/programs.ts";

const call = (id: unknown, name: string, args: object = {}) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name, arguments: args },
});
const ping = (id: unknown) => ({ jsonrpc: "2.0", id, method: "ping" });
const hello = (version: string) => ({ jsonrpc: "2.0", id: 0, method: "initialize", params: initialize(version) });

function open(tools: Record<string, Handler> = {}, options: Parameters<typeof openPipe>[1] = {}) {
  return openPipe(createMcpServer(testOffer({ tools })), options);
}

/** A handler that waits for its end, and whether it was called and stopped. */
function waiting() {
  let called = false;
  let stopped = false;
  const wait: Handler = (_args, { signal }) =>
    new Promise((_resolve, reject) => {
      called = true;
      signal.addEventListener("abort", () => {
        stopped = true;
        reject(signal.reason as Error);
      });
    });
  return { wait, isCalled: () => called, isStopped: () => stopped };
}

describe("a client that exceeds its limit of requests in flight", () => {
  test("is read on as its calls are answered", async () => {
    const releases: (() => void)[] = [];
    const hold: Handler = async () => {
      await new Promise<void>((resolve) => releases.push(resolve));
      return textResult("held");
    };
    const pipe = open({ hold }, { maxInFlight: 3 });
    for (let id = 1; id <= 8; id++) pipe.send(call(id, "hold"));
    await until(() => releases.length === 3);
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
    expect(releases).toHaveLength(3);
    for (let done = 0; done < 8; done++) {
      releases[done]!();
      await pipe.got(done + 1);
      await until(() => releases.length >= Math.min(8, done + 2));
      expect(releases.length - done - 1).toBeLessThanOrEqual(3);
    }
    pipe.input.end();
    await pipe.served;
  });

  test("is read all the same while it is asked something, and told that it is too much", async () => {
    const ask: Handler = async (_args, context) =>
      textResult(String((await context.ask({ method: "elicitation/create", params: { message: "Sure?" } })).action));
    const pipe = open({ ask }, { maxInFlight: 1 });
    pipe.send({ ...hello("2025-11-25"), params: initialize("2025-11-25", { elicitation: {} }) });
    await pipe.got(1);
    pipe.send(call(1, "ask"));
    const [, question] = await pipe.got(2);
    pipe.send(ping(2), { jsonrpc: "2.0", id: question!.id, result: { action: "accept" } });
    const [, , refused, answered] = await pipe.got(4);
    expect(refused).toMatchObject({ id: 2, error: { message: expect.stringContaining("Try again") } });
    expect(answered).toMatchObject({ id: 1, result: { content: [{ text: "accept" }] } });
    pipe.input.end();
    await pipe.served;
  });

  test("and does not take its answers is not read until it does", async () => {
    const big = "x".repeat(1024 * 1024);
    let runs = 0;
    const server = createMcpServer(testOffer({ tools: { big: () => (runs++, textResult(big)) } }));
    const [input, output] = [new PassThrough(), new PassThrough()];
    const served = serveStdio(server, { input, output });
    let sent = 0;
    for (; sent < 1000 && !input.isPaused(); sent++) {
      input.write(`${JSON.stringify(call(sent, "big"))}\n`);
      await new Promise(setImmediate);
    }
    const before = runs;
    for (; sent < before + 5; sent++) input.write(`${JSON.stringify(call(sent, "big"))}\n`);
    input.end();
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
    expect([runs, input.isPaused()]).toEqual([before, true]);
    let read = 0;
    output.on("data", (chunk: Buffer) => (read += chunk.length));
    await served;
    expect([runs, read > sent * big.length]).toEqual([sent, true]);
  });
});

describe("over stdio", () => {
  test("messages may come in pieces, several at once, and with carriage returns", async () => {
    const pipe = open();
    const bytes = Buffer.from(`${JSON.stringify(call(1, "echo", { text: "grüße" }))}\r\n`);
    for (const byte of bytes) pipe.input.write(Buffer.from([byte]));
    pipe.input.write(`\n\r\n${JSON.stringify(ping(2))}\n${JSON.stringify(ping(3))}\n`);
    const lines = await pipe.got(3);
    expect(lines).toHaveLength(3);
    expect(lines.find(({ id }) => id === 1)?.result.content[0].text).toBe("grüße");
  });

  test("an invalid message gets an error that says why, with its id if it has one", async () => {
    const pipe = open();
    pipe.input.write('{"jsonrpc":"2.0","id":1\n');
    pipe.input.write(Buffer.from([0x22, 0xff, 0x22, 0x0a]));
    pipe.input.write("\ufeff{}\n");
    pipe.send("text", { jsonrpc: "1.0", id: 7, method: "ping" }, { ...ping(8), params: [] });
    const lines = await pipe.got(6);
    expect(lines.map(({ id, error }) => [id, error.code])).toEqual([
      [null, -32700],
      [null, -32700],
      [null, -32700],
      [null, -32600],
      [7, -32600],
      [8, -32602],
    ]);
  });

  test("a message that is too large is refused, and the next one served", async () => {
    const pipe = open({}, { maxFrameBytes: 1000 });
    pipe.send(call(1, "echo", { text: "x".repeat(2000) }), ping(2));
    const [refused, served] = await pipe.got(2);
    expect(refused).toMatchObject({
      id: null,
      error: { code: -32600, message: expect.stringContaining("1000 bytes") },
    });
    expect(served).toMatchObject({ id: 2, result: {} });
  });

  test("an answer that can't be written is an error with its id, and the server goes on", async () => {
    const loop: Record<string, unknown> = {};
    loop.self = loop;
    const pipe = open({
      loop: () => ({ content: [], structuredContent: loop }),
      big: () => ({ content: [], structuredContent: 1n }),
    });
    pipe.send(call(1, "loop"), call("b", "big"), ping(2));
    const lines = await pipe.got(3);
    expect(new Map(lines.map(({ id, error }) => [id, error?.code]))).toEqual(
      new Map<unknown, unknown>([
        [1, -32603],
        ["b", -32603],
        [2, undefined],
      ]),
    );
  });

  test("the client is asked and answers on the same streams", async () => {
    const ask: Handler = async (_args, context) =>
      textResult(JSON.stringify(await context.ask({ method: "roots/list" })));
    const pipe = open({ ask });
    pipe.send({ ...hello("2025-11-25"), params: initialize("2025-11-25", { roots: {} }) });
    await pipe.got(1);
    pipe.send(call(1, "ask"));
    const question = (await pipe.got(2))[1]!;
    expect(question).toMatchObject({ method: "roots/list" });
    pipe.send({ jsonrpc: "2.0", id: question.id, result: { roots: [] } });
    expect((await pipe.got(3))[2]).toMatchObject({ id: 1, result: { content: [{ text: '{"roots":[]}' }] } });
  });

  test("a cancelled call has no answer", async () => {
    const { wait, isCalled, isStopped } = waiting();
    const pipe = open({ wait });
    pipe.send(call(1, "wait"));
    await until(isCalled);
    pipe.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } }, ping(2));
    await pipe.got(1);
    expect(pipe.lines).toMatchObject([{ id: 2 }]);
    expect(isStopped()).toBe(true);
  });
});

describe("batches over stdio", () => {
  test.each([undefined, "2024-11-05", "2025-03-26"])("are answered as one with %s", async (version) => {
    const pipe = open();
    if (version) pipe.send(hello(version));
    pipe.send([ping(1), { jsonrpc: "2.0", method: "notifications/initialized" }, 7, call("c", "echo", { text: "x" })]);
    const lines = await pipe.got(version ? 2 : 1);
    expect(lines.at(-1)).toMatchObject([{ id: 1, result: {} }, { id: null, error: { code: -32600 } }, { id: "c" }]);
  });

  test("of notifications alone are not answered", async () => {
    const pipe = open();
    pipe.send([{ jsonrpc: "2.0", method: "notifications/initialized" }], ping(1));
    expect(await pipe.got(1)).toMatchObject([{ id: 1 }]);
  });

  test.each(["2025-06-18", "2025-11-25"])("do not exist with %s", async (version) => {
    const pipe = open();
    pipe.send(hello(version));
    await pipe.got(1);
    pipe.send([ping(1)]);
    expect((await pipe.got(2))[1]).toMatchObject({ id: null, error: { code: -32600 } });
  });

  test.each([[[]], [Array.from({ length: 101 }, (_, n) => ping(n))]])(
    "can't be empty, nor longer than a hundred",
    async (batch) => {
      const pipe = open();
      pipe.send(batch, ping("after"));
      const lines = await pipe.got(2);
      expect(lines).toHaveLength(2);
      expect(lines).toContainEqual(
        expect.objectContaining({ id: null, error: expect.objectContaining({ code: -32600 }) }),
      );
    },
  );

  test("can't hold a handshake, nor requests of 2026-07-28, and the rest is answered", async () => {
    const pipe = open();
    const modern = { jsonrpc: "2.0", id: 1, method: "tools/list", params: modernParams() };
    const listen = { ...modern, id: 2, method: "subscriptions/listen" };
    pipe.send([hello("2025-11-25"), modern, listen, ping(3)]);
    const refused = { error: { code: -32600 } };
    expect(await pipe.got(1)).toMatchObject([
      [
        { id: 0, ...refused },
        { id: 1, ...refused },
        { id: 2, ...refused },
        { id: 3, result: {} },
      ],
    ]);
    // The handshake did not count: this client may still send batches.
    pipe.send([ping(4)]);
    expect((await pipe.got(2))[1]).toMatchObject([{ id: 4, result: {} }]);
  });
});

describe("when the input ends", () => {
  test("requests in flight are answered first", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const pipe = open({ slow: async () => (await promise, textResult("there")) });
    const ended = once(pipe.input, "end");
    pipe.send(call(1, "slow"));
    pipe.input.end();
    await ended;
    resolve();
    await pipe.served;
    expect(pipe.lines).toMatchObject([{ id: 1, result: { content: [{ text: "there" }] } }]);
  });

  test("what takes longer than the grace time is stopped, and the client gets an error", async () => {
    const { wait, isStopped } = waiting();
    const pipe = open({ wait }, { graceMs: 20 });
    pipe.send(call(1, "wait"));
    pipe.input.end();
    await pipe.served;
    expect(isStopped()).toBe(true);
    expect(pipe.lines).toMatchObject([{ id: 1 }]);
    expect(JSON.stringify(pipe.lines)).toContain("The call may or may not have completed");
  });

  test("a subscription is nothing to wait for", async () => {
    const pipe = open({}, { graceMs: 60_000 });
    const params = modernParams({ notifications: { toolsListChanged: true } });
    pipe.send({ jsonrpc: "2.0", id: 1, method: "subscriptions/listen", params });
    await pipe.got(1);
    pipe.input.end();
    await pipe.served;
    expect(pipe.lines).toHaveLength(1);
  });

  test("nor is a reader that no longer reads", async () => {
    const stuck = new Writable({ highWaterMark: 1, write: () => {} });
    const input = new PassThrough();
    const served = serveStdio(createMcpServer(testOffer()), { input, output: stuck, graceMs: 20 });
    input.end(`${JSON.stringify(ping(1))}\n`);
    await served;
    expect(stuck.writableLength).toBeGreaterThan(0);
  });

  test("a broken input ends it too", async () => {
    const pipe = open();
    pipe.input.destroy(new Error("gone"));
    await pipe.served;
    expect(pipe.lines).toEqual([]);
  });
});

describe("when the output closes early", () => {
  test("calls are stopped at once, and nothing more is taken", async () => {
    const { wait, isCalled, isStopped } = waiting();
    let called = 0;
    const pipe = open({ wait, count: () => (called++, textResult("")) }, { graceMs: 60_000 });
    pipe.send(call(1, "wait"));
    await until(isCalled);
    pipe.output.destroy();
    await pipe.served;
    expect(isStopped()).toBe(true);
    pipe.send(call(2, "count"));
    // A frame that is read is served within its turn of the event loop.
    for (let turn = 0; turn < 3; turn++) await nextTurn();
    expect(called).toBe(0);
  });

  test("an output that fails is the end, not a crash", async () => {
    const input = new PassThrough();
    const output = new Writable({ write: (_chunk, _encoding, done) => done(new Error("EPIPE")) });
    const served = serveStdio(createMcpServer(testOffer()), { input, output });
    input.write(`${JSON.stringify(ping(1))}\n`);
    await served;
    expect(output.destroyed).toBe(true);
  });
});

describe("a server process", () => {
  const script = program("tests/support/mcp/stdio-child.ts");
  const start = (graceMs: number) => spawn(process.execPath, [script, String(graceMs)]);

  test("answers what was asked before the end of its input, then exits", async () => {
    const child = start(10_000);
    child.stdin.end(`${JSON.stringify(hello("2025-11-25"))}\n${JSON.stringify(call(1, "slow", { ms: 30 }))}\n`);
    const [lines, [code]] = await Promise.all([text(child.stdout), once(child, "exit")]);
    expect(
      lines
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line).id),
    ).toEqual([0, 1]);
    expect(code).toBe(0);
  });

  test("exits although nobody reads what it writes", async () => {
    const child = start(100);
    const errors = text(child.stderr);
    child.stdin.end(`${JSON.stringify(call(1, "wait"))}\n${JSON.stringify(call(2, "fill", { bytes: 3e6 }))}\n`);
    const [code] = await once(child, "exit");
    child.stdout.destroy();
    expect([code, await errors]).toEqual([0, "stopped\n"]);
  });

  test("exits when its output is closed under it", async () => {
    const child = start(10_000);
    child.stdout.destroy();
    child.stdin.on("error", () => {});
    const timer = setInterval(() => child.stdin.write(`${JSON.stringify(ping(1))}\n`), 5);
    const [code] = await once(child, "exit");
    clearInterval(timer);
    expect(code).toBe(0);
  });
});

describe("what a client was answered before", () => {
  const answered = [
    { message: parseMessage(hello("2025-11-25")), answer: "{}" },
    { message: parseMessage({ jsonrpc: "2.0", id: 1, method: "tools/list" }), answer: "{}" },
  ];

  /** A server whose lists, or whose handshake, are not ready until they are released. */
  function openHeld(method: string) {
    const server = createMcpServer(testOffer());
    const { promise: ready, resolve: release } = Promise.withResolvers<void>();
    const held: typeof server = {
      ...server,
      async handle(message, peer, route) {
        if ("method" in message && message.method === method) await ready;
        return server.handle(message, peer, route);
      },
    };
    return { release, pipe: openPipe(held, { answered }) };
  }

  test("is compared with today's lists while the client is served, whatever ids it uses", async () => {
    const { release, pipe } = openHeld("tools/list");
    pipe.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } });
    pipe.send(ping(1));
    await pipe.got(1);
    release();
    expect(await pipe.got(2)).toEqual([
      { jsonrpc: "2.0", id: 1, result: {} },
      { jsonrpc: "2.0", method: "notifications/tools/list_changed" },
    ]);
    pipe.input.end();
    await pipe.served;
  });

  test.each(["initialize", "tools/list"])(
    "does not keep a client that leaves while %s is served again",
    async (method) => {
      const { release, pipe } = openHeld(method);
      pipe.input.destroy();
      await pipe.served;
      release();
      await nextTurn();
      expect(pipe.lines).toEqual([]);
    },
  );
});
