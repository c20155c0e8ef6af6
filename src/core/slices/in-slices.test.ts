import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { nextTurn } from "./in-slices.ts";

test("in each round of the event loop one caller goes on, in the order in which they came", async () => {
  const order: string[] = [];
  const work = async (name: string, slices: number) => {
    for (let slice = 0; slice < slices; slice++) {
      await nextTurn();
      order.push(name);
    }
  };
  const done = Promise.all([work("a", 3), work("b", 2), work("c", 3)]);
  const counts: number[] = [];
  while (order.length < 8) {
    const before = order.length;
    await setImmediate();
    counts.push(order.length - before);
  }
  await done;
  expect(Math.max(...counts)).toBe(1);
  expect(order.join("")).toBe("abcabcac");
});
