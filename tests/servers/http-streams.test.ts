import { describe, expect, test } from "vitest";
import { textOf } from "../support/start-guard.ts";
import { until } from "../support/until.ts";
import { type Act, openRogueHttp, type RogueHttp } from "./fixtures/rogue-http.ts";
import { startEngine } from "../support/start-engine.ts";

const resultOf = (id: unknown, text: string) => ({ jsonrpc: "2.0", id, result: { content: [{ type: "text", text }] } });
const eras = ["legacy", "modern"] as const;

/** Keeps the stream for notices open and silent. */
const holdNotices: Act = ({ stream }) => void stream();

describe.each(eras)("an event stream of the %s era", (era) => {
  test("brings progress, which gives the call more time up to a ceiling, and then the answer", async () => {
    await using rogue = await openRogueHttp(era);
    const server = { url: rogue.url, requestTimeoutMs: 800, maxTotalTimeoutMs: 3000 };
    await using engine = await startEngine({ rogue: server });
    const tick =
      (isEndless: boolean): Act =>
      ({ message, stream, response }) => {
        const write = stream();
        let progress = 0;
        const timer = setInterval(() => {
          const { progressToken } = message.params._meta;
          write({ jsonrpc: "2.0", method: "notifications/progress", params: { progressToken, progress: ++progress } });
          if (progress < 10 || isEndless) return;
          write(resultOf(message.id, "done"));
          response.end();
          clearInterval(timer);
        }, 100);
        response.on("close", () => clearInterval(timer));
      };
    rogue.once("tools/call", tick(false));
    const steps: number[] = [];
    const progress = ({ progress: step }: { progress: number }) => void steps.push(step);
    expect(textOf(await engine.call("rogue__write", {}, { progress }))).toBe("done");
    expect(steps).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    rogue.once("tools/call", tick(true));
    await expect(engine.call("rogue__read")).rejects.toMatchObject({
      code: "timeout",
      message: expect.stringContaining("3000 ms"),
    });
  });

  test("that ends in the middle of an event: the outcome is unknown, and reads are repeated", async () => {
    await using rogue = await openRogueHttp(era);
    await using engine = await startEngine({ rogue: { url: rogue.url } });
    const half: Act = ({ run, message, stream, response }) => {
      run();
      stream();
      response.end(`data: ${JSON.stringify(resultOf(message.id, "half"))}`);
    };
    rogue.once("tools/call", half);
    await expect(engine.call("rogue__write")).rejects.toMatchObject({ code: "outcome-unknown" });
    expect(rogue.runs.get("write")).toBe(1);
    rogue.once("tools/call", half);
    expect(textOf(await engine.call("rogue__read"))).toBe("read ran");
    expect(rogue.runs.get("read")).toBe(2);
  });

  test("with noise on it is read on: comments, broken JSON, answers to nobody", async () => {
    await using rogue = await openRogueHttp(era);
    await using engine = await startEngine({ rogue: { url: rogue.url } });
    rogue.once("tools/call", ({ message, stream, response }) => {
      const write = stream();
      response.write(": hello\n\ndata: {broken\n\ndata: 7\n\nevent: odd\n\n");
      write(resultOf(424_242, "for nobody"));
      write(resultOf(message.id, "for us"));
      response.end();
    });
    expect(textOf(await engine.call("rogue__write"))).toBe("for us");
  });

  test("that stays open after its answer does not keep its connection", async () => {
    await using rogue = await openRogueHttp(era);
    await using engine = await startEngine({ rogue: { url: rogue.url } });
    let isClosed = false;
    rogue.once("tools/call", ({ message, stream, response }) => {
      response.on("close", () => (isClosed = true));
      stream()(resultOf(message.id, "open end"));
    });
    expect(textOf(await engine.call("rogue__write"))).toBe("open end");
    await until(() => isClosed);
  });
});

describe("a stream that is cut before its answer, in the era of sessions", () => {
  /** The call's stream begins with an event and is cut; what comes back later is up to the test. */
  const cutAfter =
    (eventId: string): Act =>
    ({ run, stream, response }) => {
      run();
      stream()(undefined, eventId);
      response.write("retry: 10\n\n", () => response.destroy());
    };
  const resumes = (rogue: RogueHttp) =>
    rogue.seen.flatMap(({ what, headers }) => (what === "GET" ? [headers["last-event-id"]] : []));

  test("is picked up where it was, and the call runs once", async () => {
    await using rogue = await openRogueHttp();
    rogue.once("GET", holdNotices);
    await using engine = await startEngine({ rogue: { url: rogue.url } });
    let id: unknown;
    rogue.once("tools/call", (exchange) => ((id = exchange.message.id), cutAfter("s1-1")(exchange)));
    rogue.once("GET", ({ stream, response }) => {
      stream()(resultOf(id, "picked up"), "s1-2");
      response.end();
    });
    expect(textOf(await engine.call("rogue__write"))).toBe("picked up");
    expect(resumes(rogue)).toEqual([undefined, "s1-1"]);
    expect(rogue.runs.get("write")).toBe(1);
    expect(rogue.count("notifications/cancelled")).toBe(0);
  });

  test("is picked up with the id of that stream alone, however many there are", async () => {
    await using rogue = await openRogueHttp();
    rogue.once("GET", ({ stream }) => stream()({ jsonrpc: "2.0", method: "notifications/message", params: {} }, "n-1"));
    await using engine = await startEngine({ rogue: { url: rogue.url } });
    const ids = new Map<string, unknown>();
    rogue.always("tools/call", (exchange) => {
      const mark = `call-${exchange.message.params.arguments.mark}`;
      ids.set(mark, exchange.message.id);
      void cutAfter(mark)(exchange);
    });
    rogue.always("GET", ({ request, stream, response }) => {
      const mark = String(request.headers["last-event-id"]);
      stream()(resultOf(ids.get(mark), mark), `${mark}-end`);
      response.end();
    });
    const marks = ["a", "b", "c", "d"];
    const results = await Promise.all(marks.map((mark) => engine.call("rogue__write", { mark })));
    expect(results.map(textOf)).toEqual(["call-a", "call-b", "call-c", "call-d"]);
    expect(new Set(resumes(rogue))).toEqual(new Set([undefined, "call-a", "call-b", "call-c", "call-d"]));
    expect(rogue.runs.get("write")).toBe(4);
  });

  test("is tried again where picking it up fails at first", async () => {
    await using rogue = await openRogueHttp();
    rogue.once("GET", holdNotices);
    await using engine = await startEngine({ rogue: { url: rogue.url } });
    let id: unknown;
    rogue.once("tools/call", (exchange) => ((id = exchange.message.id), cutAfter("s1-1")(exchange)));
    rogue.once("GET", ({ request }) => void request.socket.destroy());
    rogue.once("GET", ({ stream, response }) => (stream(), void response.end()));
    rogue.once("GET", ({ stream, response }) => {
      stream()(resultOf(id, "third time lucky"));
      response.end();
    });
    expect(textOf(await engine.call("rogue__write"))).toBe("third time lucky");
    expect(rogue.runs.get("write")).toBe(1);
  });

  test("is lost where the server does not let it be picked up: the outcome is unknown", async () => {
    await using rogue = await openRogueHttp();
    rogue.once("GET", holdNotices);
    await using engine = await startEngine({ rogue: { url: rogue.url } });
    rogue.once("tools/call", cutAfter("s1-1"));
    await expect(engine.call("rogue__write")).rejects.toMatchObject({ code: "outcome-unknown" });
    expect(rogue.runs.get("write")).toBe(1);
    expect(textOf(await engine.call("rogue__write"))).toBe("write ran");
  });
});

test("a stream of the modern era that is cut is not picked up: the outcome is unknown", async () => {
  await using rogue = await openRogueHttp("modern");
  await using engine = await startEngine({ rogue: { url: rogue.url } });
  rogue.once("tools/call", ({ run, stream, response }) => {
    run();
    stream()(undefined, "1");
    response.end();
  });
  await expect(engine.call("rogue__write")).rejects.toMatchObject({ code: "outcome-unknown" });
  expect(rogue.count("GET")).toBe(0);
  expect(rogue.runs.get("write")).toBe(1);
});

test("the stream for notices is opened again where it ends, and picked up where it has ids", async () => {
  await using rogue = await openRogueHttp();
  // Some servers answer notices with 200 instead of 202.
  rogue.once("notifications/initialized", ({ response }) => void response.writeHead(200).end());
  rogue.once("GET", ({ stream, response }) => {
    stream()({ jsonrpc: "2.0", method: "notifications/message", params: { data: "first" } }, "n-1");
    response.end("retry: 10\n\n");
  });
  rogue.once("GET", ({ stream, response }) => {
    stream()({ jsonrpc: "2.0", method: "notifications/message", params: { data: "second" } });
    response.end();
  });
  rogue.once("GET", ({ stream }) => void stream());
  await using engine = await startEngine({ rogue: { url: rogue.url } });
  await until(() => rogue.count("GET") >= 2);
  await until(() => engine.lines.filter(({ message }) => message === "the server says").length === 2);
  expect(rogue.seen.filter(({ what }) => what === "GET")[1]?.headers["last-event-id"]).toBe("n-1");
});

test("as long as a person thinks about what the server asks, the call does not run out of time", async () => {
  await using rogue = await openRogueHttp();
  await using engine = await startEngine({ rogue: { url: rogue.url, requestTimeoutMs: 1000 } });
  rogue.once("tools/call", ({ message, stream, response }) => {
    const write = stream();
    write({ jsonrpc: "2.0", id: "q1", method: "elicitation/create", params: { message: "Sure?" } });
    rogue.once("answer", (answer) => {
      answer.response.writeHead(202).end();
      write(resultOf(message.id, `heard ${answer.message.result.action}`));
      response.end();
    });
  });
  const ask = () => new Promise<{ action: string }>((resolve) => setTimeout(resolve, 2000, { action: "accept" }));
  expect(textOf(await engine.call("rogue__write", {}, { ask }))).toBe("heard accept");
});
