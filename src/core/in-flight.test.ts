import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { InFlight } from "./in-flight.ts";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as (options: { readonly type: "major" | "minor" }) => void;

/** How much is left of 15 MB of items that came and went, 64 at a time, before anything but the youngest was collected. */
function leftMb(inFlight: Pick<InFlight<number[]>, "add" | "delete">): number {
  const items: number[][] = [];
  const come = () => {
    const item = Array.from({ length: 1000 }, () => 0);
    items.push(item);
    inFlight.add(item);
    if (items.length > 64) inFlight.delete(items.shift()!);
  };
  for (let n = 0; n < 64; n++) come();
  collect({ type: "major" });
  const before = process.memoryUsage().heapUsed;
  for (let n = 0; n < 2000; n++) come();
  collect({ type: "minor" });
  return (process.memoryUsage().heapUsed - before) / 2 ** 20;
}

test("what has gone is forgotten at once, and not with the next full collection", () => {
  expect(leftMb(new InFlight())).toBeLessThan(5);
});

test("items are found, and leave in any order, also while all are visited", () => {
  const inFlight = new InFlight<string>();
  for (const item of ["a", "b", "c", "d"]) inFlight.add(item);
  expect(inFlight.delete("b")).toBe(true);
  expect(inFlight.delete("b")).toBe(false);
  expect([...inFlight].toSorted()).toEqual(["a", "c", "d"]);
  expect(inFlight.find((item) => item > "b")).toMatch(/c|d/);
  const seen: string[] = [];
  for (const item of inFlight) {
    seen.push(item);
    inFlight.delete(item);
  }
  expect(seen).toHaveLength(3);
  expect(inFlight.size).toBe(0);
});
