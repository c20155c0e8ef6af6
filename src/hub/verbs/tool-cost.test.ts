import { expect, test } from "vitest";
import { tokensOf } from "./tool-cost.ts";

test("tokens are counted as o200k does, and text that looks like a control token is text", () => {
  expect(tokensOf("hello world")).toBe(2);
  expect(tokensOf("<|endoftext|>")).toBeGreaterThan(1);
});

test("a word without end is counted too", () => {
  for (const letter of ["a", "é", "-", " "]) expect(tokensOf(letter.repeat(500_000))).toBeGreaterThan(1000);
});
