import { expect, test } from "vitest";
import { estimateTokens, estimateTokensOf, tokensOfSize } from "./estimate-tokens.ts";

test("text, values and sizes that were measured before are estimated alike", () => {
  const text = "x".repeat(398);
  expect(estimateTokens(text)).toBe(100);
  expect(estimateTokensOf(text)).toBe(100);
  expect(tokensOfSize(400)).toBe(100);
  expect(estimateTokens("")).toBe(0);
  // What was kept can be counted on the day after the call.
  expect(tokensOfSize(-300)).toBe(0);
});
