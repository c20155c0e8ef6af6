import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { createSerialQueue } from "./serial-queue.ts";

test("one follows the other in order, also after one that failed", async () => {
  const runSerially = createSerialQueue();
  const seen: string[] = [];
  const work = (name: string) => async () => {
    seen.push(`${name} begins`);
    await nextTurn();
    seen.push(`${name} ends`);
    if (name === "b") throw new Error("b failed");
    return name;
  };
  const settled = await Promise.allSettled([work("a"), work("b"), work("c")].map((one) => runSerially(one)));
  expect(settled.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect(seen).toEqual(["a begins", "a ends", "b begins", "b ends", "c begins", "c ends"]);
});

test("one that gives up its wait does not run, and the next still waits for those before it", async () => {
  const runSerially = createSerialQueue();
  const first = Promise.withResolvers<void>();
  const seen: string[] = [];
  const held = runSerially(() => first.promise);
  const cancel = new AbortController();
  const given = runSerially(async () => void seen.push("cancelled"), cancel.signal);
  const last = runSerially(async () => void seen.push("last"));
  cancel.abort(new Error("not needed"));
  await expect(given).rejects.toMatchObject({ code: "cancelled" });
  await nextTurn();
  expect(seen).toEqual([]);
  first.resolve();
  await Promise.all([held, last]);
  expect(seen).toEqual(["last"]);
});
