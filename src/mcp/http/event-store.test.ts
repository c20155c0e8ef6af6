import { describe, expect, test } from "vitest";
import { heapInUse } from "../../../tests/support/collect-garbage.ts";
import { createEventStore } from "./event-store.ts";

/** What one event of this length costs. */
const cost = (length: number) => length + 512;

describe("the event store", () => {
  test("gives back what came after an event, of that stream alone", () => {
    const store = createEventStore(100_000);
    const [a, b] = [store.open(), store.open()];
    const ids = ["1", "2", "3"].map((data) => (b.append(`b${data}`), a.append(`a${data}`)));
    expect(a.after(ids[0]!)).toEqual([
      { id: ids[1], data: "a2" },
      { id: ids[2], data: "a3" },
    ]);
    expect(a.after(ids[2]!)).toEqual([]);
    expect(b.after(ids[0]!)).toBeUndefined();
    expect(a.after("")).toBeUndefined();
    expect(a.after(`${a.id}-x`)).toBeUndefined();
  });

  test("forgets the oldest events over all streams first, and knows what it forgot", () => {
    const store = createEventStore(4 * cost(10));
    const [a, b] = [store.open(), store.open()];
    const first = a.append("a".repeat(10));
    const second = b.append("b".repeat(10));
    const third = a.append("c".repeat(10));
    b.append("d".repeat(10));
    expect([a.after(first), b.after(second)].map((events) => events?.length)).toEqual([1, 1]);
    a.append("e".repeat(10));
    expect(a.after(first)?.length).toBe(2);
    b.append("f".repeat(10));
    b.append("g".repeat(10));
    expect(a.after(first)).toBeUndefined();
    expect(a.after(third)?.length).toBe(1);
    expect(b.after(second)?.length).toBe(3);
  });

  test("never holds more than its bytes", () => {
    const store = createEventStore(10 * cost(100));
    const streams = Array.from({ length: 5 }, () => store.open());
    const ids = streams.map((stream) => stream.append("x".repeat(100)));
    for (let n = 0; n < 100; n++) streams[n % 5]!.append("x".repeat(100));
    expect(streams.map((stream, n) => stream.after(ids[n]!))).toEqual(Array.from({ length: 5 }, () => undefined));
    const kept = streams.map((stream) => {
      const last = stream.append("");
      const number = Number(last.split("-")[1]);
      let count = 0;
      while (stream.after(`${stream.id}-${number - count - 1}`)) count++;
      return count;
    });
    expect(kept.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(15);
  });

  test("does not keep an event larger than itself, nor lose other streams' events for it", () => {
    const store = createEventStore(4 * cost(10));
    const [a, b] = [store.open(), store.open()];
    const other = b.append("b");
    b.append("c");
    const before = a.append("a");
    const large = a.append("x".repeat(10_000));
    expect(a.after(before)).toBeUndefined();
    expect(a.after(large)).toEqual([]);
    const next = a.append("y");
    expect(a.after(large)).toEqual([{ id: next, data: "y" }]);
    expect(b.after(other)).toHaveLength(1);
  });

  test("frees what a dropped stream held at once", () => {
    const store = createEventStore(4 * cost(10));
    const [a, b] = [store.open(), store.open()];
    const first = a.append("a".repeat(10));
    for (let n = 0; n < 3; n++) b.append("b".repeat(10));
    b.drop();
    expect(b.isEmpty()).toBe(true);
    for (let n = 0; n < 3; n++) a.append("a".repeat(10));
    expect(a.after(first)).toHaveLength(3);
  });

  test("keeps no record of streams that came and went, nor of events long gone", async () => {
    const store = createEventStore(100_000);
    const lasting = store.open();
    const first = lasting.append("first");
    const before = await heapInUse();
    for (let n = 0; n < 50_000; n++) {
      const stream = store.open();
      stream.append("x");
      stream.drop();
    }
    expect(lasting.after(first)).toEqual([]);
    for (let n = 0; n < 50_000; n++) lasting.append("x");
    expect((await heapInUse()) - before).toBeLessThan(1_000_000);
  });
});
