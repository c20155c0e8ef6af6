import { describe, expect, test } from "vitest";
import { textOf } from "../support/start-guard.ts";
import { until } from "../support/until.ts";
import { openRogueHttp } from "./fixtures/rogue-http.ts";
import { startEngine } from "../support/start-engine.ts";

const eras = ["legacy", "modern"] as const;

describe.each(eras)("an HTTP server of the %s era", (era) => {
  test("that cuts the connection in a call: the outcome is unknown, nothing is repeated, the next call works", async () => {
    await using rogue = await openRogueHttp(era);
    await using engine = await startEngine({ rogue: { url: rogue.url } });
    rogue.once("tools/call", ({ run, request }) => (run(), void request.socket.destroy()));
    await expect(engine.call("rogue__write")).rejects.toMatchObject({ code: "outcome-unknown" });
    expect(rogue.runs.get("write")).toBe(1);
    expect(textOf(await engine.call("rogue__write"))).toBe("write ran");
    expect(rogue.runs.get("write")).toBe(2);
  });

  test("that cuts the connection in a call that may run twice: it is repeated once", async () => {
    await using rogue = await openRogueHttp(era);
    await using engine = await startEngine({ rogue: { url: rogue.url } });
    for (const tool of ["read", "put"]) {
      rogue.once("tools/call", ({ run, request }) => (run(), void request.socket.destroy()));
      expect(textOf(await engine.call(`rogue__${tool}`))).toBe(`${tool} ran`);
      expect(rogue.runs.get(tool)).toBe(2);
    }
    rogue.always("tools/call", ({ run, request }) => (run(), void request.socket.destroy()));
    await expect(engine.call("rogue__read")).rejects.toMatchObject({ code: "outcome-unknown" });
    expect(rogue.runs.get("read")).toBe(4);
  });

  test("that cuts one call leaves the others alone", async () => {
    await using rogue = await openRogueHttp(era);
    await using engine = await startEngine({ rogue: { url: rogue.url } });
    const { promise: isCut, resolve: cut } = Promise.withResolvers<void>();
    rogue.once("tools/call", async ({ run, answer }) => {
      run();
      await isCut;
      answer({ content: [{ type: "text", text: "slow but whole" }] });
    });
    rogue.once("tools/call", ({ request }) => void request.socket.destroy());
    const slow = engine.call("rogue__write");
    await until(() => rogue.runs.get("write") === 1);
    await expect(engine.call("rogue__write")).rejects.toMatchObject({ code: "outcome-unknown" });
    cut();
    expect(textOf(await slow)).toBe("slow but whole");
  });

  test("that is killed in the middle of a call and started again: the first call then works", async () => {
    await using rogue = await openRogueHttp(era);
    await using engine = await startEngine({ rogue: { url: rogue.url } });
    rogue.once("tools/call", ({ run }) => (run(), void rogue.stop()));
    await expect(engine.call("rogue__write")).rejects.toMatchObject({ code: "outcome-unknown" });
    await rogue.start();
    expect(textOf(await engine.call("rogue__write"))).toBe("write ran");
    expect(rogue.runs.get("write")).toBe(2);
  });

  test("that is away: a call waits for it for three attempts and is then told, and works when it is back", async () => {
    await using rogue = await openRogueHttp(era);
    await using engine = await startEngine({ rogue: { url: rogue.url } });
    await rogue.stop();
    await expect(engine.call("rogue__write")).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringContaining("ECONNREFUSED"),
    });
    expect(engine.lines.filter(({ message }) => message === "the connection was lost").length).toBeLessThanOrEqual(1);
    expect(engine.manager.status("rogue")).toMatchObject({ state: "reconnecting", nextAttempt: expect.any(String) });
    await rogue.start();
    // For a moment it is left alone.
    await expect.poll(() => engine.call("rogue__write").then(textOf, String)).toBe("write ran");
    expect(rogue.runs.get("write")).toBe(1);
  });

  test("that restarts while a call waits: the call works", async () => {
    await using rogue = await openRogueHttp(era);
    await using engine = await startEngine({ rogue: { url: rogue.url } });
    await rogue.stop();
    const call = engine.call("rogue__write");
    await until(() => engine.manager.status("rogue").state === "reconnecting");
    await rogue.start();
    expect(textOf(await call)).toBe("write ran");
    expect(rogue.runs.get("write")).toBe(1);
  });

  test("that does not answer: the call is cancelled there, and the next one works", async () => {
    await using rogue = await openRogueHttp(era);
    await using engine = await startEngine({ rogue: { url: rogue.url, requestTimeoutMs: 1000 } });
    let isClosed = false;
    rogue.once("tools/call", ({ run, response }) => (run(), void response.on("close", () => (isClosed = true))));
    await expect(engine.call("rogue__write")).rejects.toMatchObject({
      code: "outcome-unknown",
      message: expect.stringContaining("1000 ms"),
    });
    await until(() => isClosed);
    await until(() => rogue.count("notifications/cancelled") === (era === "legacy" ? 1 : 0));
    expect(rogue.runs.get("write")).toBe(1);
    expect(textOf(await engine.call("rogue__write"))).toBe("write ran");
  });

  test("that answers with the id as a string is understood", async () => {
    await using rogue = await openRogueHttp("legacy");
    rogue.always("tools/call", ({ message, response }) => {
      const answer = { jsonrpc: "2.0", id: String(message.id), result: { content: [{ type: "text", text: "ok" }] } };
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
    });
    await using engine = await startEngine({ rogue: { url: rogue.url } });
    expect(await engine.call("rogue__write")).toEqual({ content: [{ type: "text", text: "ok" }] });
  });

  test("that answers with something that is no answer: the call is not repeated", async () => {
    await using rogue = await openRogueHttp(era);
    await using engine = await startEngine({ rogue: { url: rogue.url } });
    for (const body of ["", "<html>", '{"jsonrpc":"2.0","id":99999,"result":{}}', "[]"]) {
      rogue.once("tools/call", ({ run, response }) => {
        run();
        response.writeHead(200, { "content-type": "application/json" }).end(body);
      });
      await expect(engine.call("rogue__write")).rejects.toMatchObject({ code: "outcome-unknown" });
    }
    expect(rogue.runs.get("write")).toBe(4);
    expect(textOf(await engine.call("rogue__write"))).toBe("write ran");
  });

  test("that fails with a status: its words are told, and only what took nothing may be repeated", async () => {
    await using rogue = await openRogueHttp(era);
    await using engine = await startEngine({ rogue: { url: rogue.url } });
    rogue.once("tools/call", ({ run, response }) => (run(), void response.writeHead(500).end("disk full")));
    await expect(engine.call("rogue__write")).rejects.toMatchObject({
      code: "outcome-unknown",
      message: expect.stringContaining("disk full"),
    });
    rogue.once("tools/call", ({ response }) => void response.writeHead(413).end("too much"));
    await expect(engine.call("rogue__write")).rejects.toMatchObject({ code: "unavailable" });
    expect(rogue.count("tools/call")).toBe(2);
    expect(textOf(await engine.call("rogue__write"))).toBe("write ran");
  });

  test.each([429, 503])("that says %s and how long to wait is asked again after that", async (status) => {
    await using rogue = await openRogueHttp(era);
    rogue.once("server/discover", ({ response }) => void response.writeHead(status, { "retry-after": "1" }).end());
    const started = Date.now();
    await using engine = await startEngine({ rogue: { url: rogue.url, connectTimeoutMs: 900, requestTimeoutMs: 900 } });
    expect(engine.manager.status("rogue").state).toBe("ready");
    rogue.once("tools/call", ({ response }) => void response.writeHead(status, { "retry-after": "1" }).end());
    expect(textOf(await engine.call("rogue__write"))).toBe("write ran");
    expect(Date.now() - started).toBeGreaterThan(1900);
    expect(rogue.runs.get("write")).toBe(1);
  });

  test("that wants to be left alone for long is, and the caller is told at once", async () => {
    await using rogue = await openRogueHttp(era);
    rogue.always("server/discover", ({ response }) => void response.writeHead(503, { "retry-after": "300" }).end());
    rogue.always("initialize", ({ response }) => void response.writeHead(503, { "retry-after": "300" }).end());
    await using engine = await startEngine({ rogue: { url: rogue.url } });
    const before = rogue.seen.length;
    await expect(engine.manager.refresh("rogue")).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringContaining("503"),
    });
    expect(rogue.seen.length).toBe(before);
    const { nextAttempt } = engine.manager.status("rogue");
    expect(Date.parse(nextAttempt!) - Date.now()).toBeGreaterThan(250_000);
  });

  test("that is slow to connect holds up nobody else", async () => {
    await using slow = await openRogueHttp(era);
    await using fast = await openRogueHttp(era);
    const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
    slow.once("server/discover", async (exchange) => (await isReleased, slow.behave(exchange)));
    await using engine = await startEngine({ slow: { url: slow.url }, fast: { url: fast.url } }, {}, 500);
    expect(textOf(await engine.call("fast__write"))).toBe("write ran");
    expect(engine.manager.status("slow").state).toBe("connecting");
    release();
    await until(() => engine.toolNames().includes("slow__write"));
  });

  test("that sends more than is taken: the call fails, memory stays, the next call works", async () => {
    await using rogue = await openRogueHttp(era);
    await using engine = await startEngine({ rogue: { url: rogue.url, maxMessageBytes: 1_000_000 } });
    const before = process.memoryUsage().rss;
    const flood = (type: string, start: string) =>
      rogue.once("tools/call", async ({ run, response }) => {
        run();
        response.writeHead(200, { "content-type": type });
        response.write(start);
        const piece = "x".repeat(1_000_000);
        for (let mb = 0; mb < 100 && !response.destroyed; mb++) {
          if (!response.write(piece)) await new Promise((go) => response.once("drain", go).once("close", go));
        }
        response.end();
      });
    for (const [type, start] of [
      ["application/json", '{"jsonrpc":"2.0","id":1,"result":{"a":"'],
      ["text/event-stream", 'id: 1\ndata: {"jsonrpc":"2.0","result":{"a":"'],
    ] as const) {
      flood(type, start);
      await expect(engine.call("rogue__write")).rejects.toMatchObject({
        code: "outcome-unknown",
        message: expect.stringContaining("larger than the 1000000 bytes"),
      });
      flood(type, start);
      await expect(engine.call("rogue__read")).rejects.toMatchObject({ code: "too-large" });
    }
    expect(rogue.count("GET")).toBeLessThanOrEqual(1);
    expect(rogue.runs).toEqual(
      new Map([
        ["write", 2],
        ["read", 2],
      ]),
    );
    expect(process.memoryUsage().rss - before).toBeLessThan(80_000_000);
    expect(textOf(await engine.call("rogue__write"))).toBe("write ran");
  });

  test("that sends a caller on within itself is followed, to another it is not", async () => {
    await using rogue = await openRogueHttp(era);
    await using other = await openRogueHttp(era);
    await using engine = await startEngine({ rogue: { url: rogue.url } });
    rogue.once("tools/call", ({ response }) => void response.writeHead(307, { location: "/mcp/" }).end());
    expect(textOf(await engine.call("rogue__write"))).toBe("write ran");
    rogue.once("tools/call", ({ response }) => void response.writeHead(308, { location: other.url }).end());
    await expect(engine.call("rogue__write")).rejects.toMatchObject({ code: "denied" });
    expect(other.seen).toEqual([]);
    expect(rogue.runs.get("write")).toBe(1);
  });
});

describe("a server that never takes the end of the handshake", () => {
  test("is given up in time", async () => {
    await using rogue = await openRogueHttp();
    rogue.always("notifications/initialized", () => {});
    await using engine = await startEngine({ rogue: { url: rogue.url, connectTimeoutMs: 500 } }, {}, 0);
    await expect.poll(() => engine.manager.status("rogue").lastError, { timeout: 15_000 }).toContain("500 ms");
  });

  test("holds up nobody who stops", async () => {
    await using rogue = await openRogueHttp();
    rogue.always("notifications/initialized", () => {});
    await using engine = await startEngine({ rogue: { url: rogue.url, connectTimeoutMs: 600_000 } }, {}, 0);
    await until(() => rogue.count("notifications/initialized") === 1);
    await engine.manager.close();
    expect(() => engine.manager.status("rogue")).toThrow("rogue");
  });
});
