import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { type Handler, testOffer } from "../../../tests/support/mcp/test-offer.ts";
import { call, openWeb } from "../../../tests/support/mcp/web.ts";
import { until } from "../../../tests/support/until.ts";
import { textResult } from "../messages/tool.ts";
import type { RequestContext } from "../server/offer.ts";

const token = { progressToken: "p" };

/** A handler that tells of its progress and waits to be let go or stopped. */
function held() {
  const contexts: RequestContext[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const hold: Handler = async (_args, context) => {
    contexts.push(context);
    context.progress({ progress: 1 });
    await Promise.race([
      promise,
      new Promise((_resolve, reject) => context.signal.addEventListener("abort", () => reject(new Error("stopped")))),
    ]);
    return textResult("held");
  };
  return { hold, contexts, resolve };
}

describe("an answer", () => {
  test("is a stream from the first other message on, in either era", async () => {
    const work: Handler = (_args, context) => {
      context.progress({ progress: 1 });
      context.tell({ level: "warning", data: "hot" });
      return textResult("done");
    };
    await using web = await openWeb(testOffer({ tools: { work } }));
    const session = await web.open();
    const meta = { ...token, "io.modelcontextprotocol/logLevel": "info" };
    for (const reply of [
      await web.post(call(7, "work", {}, token)),
      await web.post(call(7, "work", {}, token), session),
      await web.modern(7, "tools/call", { name: "work" }, { meta }),
    ]) {
      expect([reply.status, reply.type, reply.header("x-accel-buffering")]).toEqual([200, "text/event-stream", "no"]);
      const messages = await reply.events.messages();
      expect(messages.map(({ id, method }) => id ?? method)).toEqual([
        "notifications/progress",
        "notifications/message",
        7,
      ]);
    }
  });

  test.each(["application/json", "*/*"])("is JSON for a client that accepts %s, without log lines", async (accept) => {
    const work: Handler = (_args, context) => {
      context.tell({ level: "error", data: "hot" });
      return textResult("done");
    };
    await using web = await openWeb(testOffer({ tools: { work } }));
    for (const headers of [{}, await web.open()]) {
      const reply = await web.post(call(1, "work"), { ...headers, accept });
      expect(reply.type).toBe("application/json");
      expect((await reply.json()).result.content[0].text).toBe("done");
    }
  });

  test("that takes long opens a stream with heartbeats", async () => {
    const { hold, resolve } = held();
    await using web = await openWeb(testOffer({ tools: { hold } }), { streamAfterMs: 10 });
    const reply = await web.post(call(1, "hold"));
    expect(reply.type).toBe("text/event-stream");
    expect(await reply.events.next()).toMatchObject({ isComment: true });
    expect(await reply.events.next()).toMatchObject({ isComment: true });
    resolve();
    expect((await reply.events.messages()).map(({ id }) => id)).toEqual([1]);
  });

  test.each(["application/json", "*/*"])("that takes long for a client that accepts %s stays JSON", async (accept) => {
    const { hold, contexts, resolve } = held();
    await using web = await openWeb(testOffer({ tools: { hold } }), { streamAfterMs: 5 });
    const reply = web.post(call(1, "hold"), { accept });
    await until(() => contexts.length === 1);
    // The same heartbeats reach every open request: once this one shows life, the one before it had its turn as well.
    const streamed = await web.post(call(2, "hold"));
    expect(await streamed.events.next()).toMatchObject({ isComment: true });
    resolve();
    expect((await reply).type).toBe("application/json");
  });

  test("is the end: later messages of the handler are ignored", async () => {
    const kept: RequestContext[] = [];
    const work: Handler = (_args, context) => {
      kept.push(context);
      context.progress({ progress: 1 });
      return textResult("done");
    };
    await using web = await openWeb(testOffer({ tools: { work } }));
    const session = await web.open();
    for (const [headers, meta] of [
      [{}, {}],
      [{}, token],
      [session, {}],
      [session, token],
    ] as const) {
      const reply = await web.post(call(1, "work", {}, meta), headers);
      kept.at(-1)!.progress({ progress: 2 });
      kept.at(-1)!.tell({ level: "error", data: "late" });
      expect(await reply.text()).not.toContain("late");
    }
  });
});

describe("a lost connection", () => {
  test.each(["modern", "alone"] as const)("cancels the call it carried (%s)", async (kind) => {
    const { hold, contexts } = held();
    await using web = await openWeb(testOffer({ tools: { hold } }));
    const reply =
      kind === "modern"
        ? await web.modern(1, "tools/call", { name: "hold" }, { meta: token })
        : await web.post(call(1, "hold", {}, token));
    expect(contexts[0]!.signal.aborted).toBe(false);
    reply.hangUp();
    await until(() => contexts[0]!.signal.aborted);
  });

  test("cancels a call that has not answered yet, too", async () => {
    const { hold, contexts } = held();
    await using web = await openWeb(testOffer({ tools: { hold } }));
    const body = JSON.stringify(call(1, "hold"));
    const socket = connect(web.port, "127.0.0.1");
    socket.write(`POST / HTTP/1.1\r\nhost: x\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
    await until(() => contexts.length === 1);
    expect(contexts[0]!.signal.aborted).toBe(false);
    socket.destroy();
    await until(() => contexts[0]!.signal.aborted);
  });

  test("in a session cancels nothing, with a stream or without", async () => {
    const { hold, contexts, resolve } = held();
    const ends: string[] = [];
    const watched: Handler = async (args, context) => {
      const result = await hold(args, context);
      context.tell({ level: "error", data: "nobody hears this" });
      ends.push("held");
      return result;
    };
    await using web = await openWeb(testOffer({ tools: { watched } }), { streamAfterMs: 5 });
    const session = await web.open();
    const streamed = await web.post(call(1, "watched", {}, token), session);
    streamed.hangUp();
    const head = ["POST / HTTP/1.1", "host: x", `mcp-session-id: ${session["mcp-session-id"]}`];
    const sockets = ["text/event-stream", "application/json"].map((accept, n) => {
      const body = JSON.stringify(call(n + 2, "watched"));
      const socket = connect(web.port, "127.0.0.1");
      socket.write([...head, `accept: ${accept}`, `content-length: ${body.length}`, "", body].join("\r\n"));
      return socket;
    });
    await until(() => contexts.length === 3);
    for (const socket of sockets) socket.destroy();
    await until(() => web.lostResponses === 3);
    expect(contexts.map(({ signal }) => signal.aborted)).toEqual([false, false, false]);
    resolve();
    await until(() => ends.length === 3);
    expect((await web.post({ jsonrpc: "2.0", id: 9, method: "ping" }, session)).status).toBe(200);
  });
});

describe("a reader that does not read", () => {
  const megabyte = "x".repeat(1024 * 1024);

  /** Sends one POST and reads nothing of what comes. */
  function postUnread(port: number, message: object, headers = "") {
    const body = JSON.stringify(message);
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => {});
    socket.pause();
    socket.write(
      `POST / HTTP/1.1\r\nhost: x\r\naccept: text/event-stream\r\n${headers}content-length: ${body.length}\r\n\r\n${body}`,
    );
    return socket;
  }

  test("is cut off when too much waits for it", async () => {
    let sent = 0;
    let isCutOff = false;
    const flood: Handler = async (_args, context) => {
      for (; !context.signal.aborted && sent < 100; sent++) {
        context.tell({ level: "error", data: megabyte });
        await sleep(1);
      }
      isCutOff = context.signal.aborted;
      return textResult("done");
    };
    await using web = await openWeb(testOffer({ tools: { flood } }));
    const socket = postUnread(web.port, call(1, "flood"));
    await until(() => isCutOff);
    expect(sent).toBeLessThan(60);
    socket.destroy();
  });

  test("gets one answer that is larger than that, if it reads", async () => {
    const large: Handler = (_args, context) => {
      context.progress({ progress: 1 });
      return textResult(megabyte.repeat(17));
    };
    await using web = await openWeb(testOffer({ tools: { large } }));
    const reply = await web.post(call(1, "large", {}, token), await web.open());
    const messages = await reply.events.messages();
    expect(messages.at(-1)!.result.content[0].text.length).toBe(17 * 1024 * 1024);
  });

  test("of a stream that is over is not written to any more", async () => {
    const crashed: unknown[] = [];
    const note = (error: unknown) => void crashed.push(error);
    process.on("uncaughtException", note);
    try {
      let isAnswered = false;
      const large: Handler = (_args, context) => {
        context.progress({ progress: 1 });
        isAnswered = true;
        return textResult(megabyte.repeat(8));
      };
      const offer = testOffer({ tools: { large } });
      await using web = await openWeb(offer, { streamAfterMs: 5 });
      const session = await web.open();
      const socket = postUnread(
        web.port,
        call(1, "large", {}, token),
        `mcp-session-id: ${session["mcp-session-id"]}\r\n`,
      );
      await until(() => isAnswered);
      // Heartbeats go to the streams of a session in the order they were opened, so the unread one is reached first.
      const { events } = await web.send("GET", session);
      expect(await events.next()).toMatchObject({ data: "", retry: 3000 });
      expect(await events.next()).toMatchObject({ isComment: true });
      expect(await events.next()).toMatchObject({ isComment: true });
      socket.destroy();
    } finally {
      process.off("uncaughtException", note);
    }
    expect(crashed).toEqual([]);
  });
});

test("a call that asks its client over HTTP comes back with the answers, as two requests", async () => {
  const ask: Handler = async (_args, context) => {
    const { action } = await context.ask({ method: "elicitation/create", params: { message: "Sure?" } }, "sure");
    return textResult(String(action));
  };
  await using web = await openWeb(testOffer({ tools: { ask } }));
  const able = { capabilities: { elicitation: {} } };
  const first = await web.modern(1, "tools/call", { name: "ask" }, able);
  expect(first.type).toBe("application/json");
  const { requestState } = (await first.json()).result;
  const params = { name: "ask", requestState, inputResponses: { sure: { action: "accept" } } };
  const second = await web.modern(2, "tools/call", params, able);
  expect((await second.json()).result.content[0].text).toBe("accept");
});
