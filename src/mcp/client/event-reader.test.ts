import { expect, test } from "vitest";
import * as fc from "fast-check";
import { createEventReader } from "./event-reader.ts";
import type { StreamEvent } from "./event-reader.ts";

function read(...pieces: readonly string[]) {
  const events: StreamEvent[] = [];
  const reader = createEventReader((event) => void events.push(event), 1000);
  for (const piece of pieces) void reader.push(piece);
  return { events, lastId: reader.lastId(), retryMs: reader.retryMs() };
}

const message = (data: string): StreamEvent => ({ event: "message", data });

test.each([
  ["one line of data", "data: one\n\n", [message("one")]],
  ["no blank after the colon", "data:one\n\n", [message("one")]],
  ["one blank after the colon is no data, the others are", "data:   one\n\n", [message("  one")]],
  ["several lines of data", "data: one\ndata\ndata: three\n\n", [message("one\n\nthree")]],
  ["an event with a name", "event: endpoint\ndata: /post\n\n", [{ event: "endpoint", data: "/post" }]],
  ["the last name counts", "event: a\nevent: b\ndata: 1\n\n", [{ event: "b", data: "1" }]],
  ["a name is for one event only", "event: a\ndata: 1\n\ndata: 2\n\n", [{ event: "a", data: "1" }, message("2")]],
  ["an event without data is none, and its name is gone", "event: a\n\ndata: 1\n\n", [message("1")]],
  ["an empty line of data is an event", "data\n\n", [message("")]],
  ["comments are nothing", ": hello\ndata: 1\n:\n\n", [message("1")]],
  ["unknown fields are nothing", "datum: 1\n data: 2\ndata: 3\n\n", [message("3")]],
  ["a colon in the data is data", "data: a: b\n\n", [message("a: b")]],
  ["lines may end with a carriage return", "data: 1\rdata: 2\r\rdata: 3\r\r", [message("1\n2"), message("3")]],
  ["lines may end with both", "data: 1\r\ndata: 2\r\n\r\n", [message("1\n2")]],
  ["a mark of the byte order at the start is nothing", "\uFEFFdata: 1\n\n", [message("1")]],
  ["such a mark later is part of a name", "data: 1\n\n\uFEFFdata: 2\n\n", [message("1")]],
  ["what is not ended is not there", "data: 1\n\ndata: 2\n", [message("1")]],
])("%s", (_title, text, events) => {
  expect(read(text).events).toEqual(events);
});

test("the id to resume from is that of the last complete event that had one", () => {
  expect(read("data: 1\n\n").lastId).toBeUndefined();
  expect(read("id: a\ndata: 1\n\ndata: 2\n\n").lastId).toBe("a");
  expect(read("id: a\ndata: 1\n\nid: b\ndata: 2\n").lastId).toBe("a");
  expect(read("id: a\ndata: 1\n\nid\ndata: 2\n\n").lastId).toBe("");
  expect(read("id: a\n\n")).toEqual({ events: [], lastId: "a", retryMs: undefined });
  expect(read("id: a\n\nid: b\0\n\n").lastId).toBe("a");
});

test("the wait a server asks for counts only in digits", () => {
  expect(read("retry: 250\n\n").retryMs).toBe(250);
  expect(read("retry: 250\nretry: soon\nretry: 1e3\nretry\nretry: -1\n\n").retryMs).toBe(250);
});

test("however a stream is cut into pieces, its events are the same", () => {
  const part = fc.constantFrom(
    ..."\r\n:\uFEFF 1x".split(""),
    "\r\n",
    "\n\n",
    "data",
    "event",
    "id",
    "retry",
    "data: 1\n\n",
    "",
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 60 }), fc.array(fc.nat(20)), (parts, lengths) => {
      const text = parts.join("");
      expect(read(...cut(text, lengths))).toEqual(read(text));
    }),
  );
});

test("an event larger than allowed is refused, in one line or in many, ended or not", () => {
  const line = "x".repeat(600);
  expect(() => read(`data: ${line}\n\n`)).not.toThrow();
  expect(() => read(`data: ${line}`, line)).toThrow(RangeError);
  expect(() => read(`data: ${line}\n`, `data: ${line}\n`)).toThrow(RangeError);
  expect(() => read(`: ${line}`, line)).toThrow(RangeError);
});

test("a long line costs in proportion to its length, not to its square", () => {
  let size = 0;
  const reader = createEventReader(({ data }) => void (size += data.length), 200_000_000);
  const piece = "x".repeat(1024);
  const started = process.cpuUsage();
  void reader.push("data: ");
  for (let count = 0; count < 20_000; count++) void reader.push(piece);
  void reader.push("\n\n");
  expect(size).toBe(20_000 * 1024);
  // Reading the line anew with each piece takes minutes.
  expect(process.cpuUsage(started).user).toBeLessThan(10_000_000);
});

function cut(text: string, lengths: readonly number[]): string[] {
  const pieces: string[] = [];
  let at = 0;
  for (const length of lengths) {
    pieces.push(text.slice(at, at + length));
    at += length;
  }
  return [...pieces, text.slice(at)];
}

test("an event that takes time is not overtaken by those after it", async () => {
  const seen: string[] = [];
  const take = async (data: string): Promise<void> => {
    await new Promise(setImmediate);
    seen.push(data);
  };
  const reader = createEventReader(({ data }) => (data === "1" ? take(data) : void seen.push(data)), 1000);
  await reader.push("data: 1\n\ndata: 2\n\ndata: 1\n\ndata: 3\n\nda");
  expect(seen).toEqual(["1", "2", "1", "3"]);
  expect(reader.push("ta: 4\n\n")).toBeUndefined();
  expect(seen).toEqual(["1", "2", "1", "3", "4"]);
});
