import { expect, test } from "vitest";
import { createShares, fairRules } from "./shares.ts";

test("one holder gets at most half, and gets it again once it has given some back", () => {
  const shares = createShares(fairRules(10));
  expect(Array.from({ length: 6 }, () => shares.take("a"))).toEqual([...Array(5).fill(undefined), "share"]);
  expect(shares.take("b", 5)).toBeUndefined();
  expect(shares.take("c")).toBe("all");
  shares.give("a", 2);
  expect(shares.taken).toBe(8);
  expect([shares.take("a", 2), shares.take("a")]).toEqual([undefined, "share"]);
});

test("the reserve is for one holder only, which has its half like the others", () => {
  const shares = createShares(fairRules(32, "main"));
  expect([shares.take("a", 16), shares.take("b", 14), shares.take("b"), shares.take("c")]).toEqual([
    undefined,
    undefined,
    "all",
    "all",
  ]);
  expect([shares.take("main"), shares.take("main"), shares.take("main")]).toEqual([undefined, undefined, "all"]);
  shares.give("a", 16);
  expect([shares.take("main", 14), shares.take("main")]).toEqual([undefined, "share"]);
});

test("a refused amount takes nothing", () => {
  const shares = createShares(fairRules(10));
  expect(shares.take("a", 6)).toBe("share");
  expect(shares.taken).toBe(0);
  expect(shares.take("a", 5)).toBeUndefined();
});

test.for([1, 2, 3])("of %d there is something for one holder", (max) => {
  expect(createShares(fairRules(max, "main")).take("a")).toBeUndefined();
});
