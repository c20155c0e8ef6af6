import { expect, test } from "vitest";
import type { Caller } from "../caller.ts";
import { traitsOf } from "./judge-call.ts";
import { createRateLimits } from "./rate-limits.ts";

const tool = (name: string) =>
  ({ tool: { name }, own: name, source: "git", kind: "server", traits: traitsOf() }) as const;
const caller = (token: string): Caller => ({ door: "mcp-http", token });

test("a caller may use up its calls at once, and regains them one by one", () => {
  const limits = createRateLimits([{ calls: 2, seconds: 10 }]);
  const take = (now: number) => limits.take(tool("a"), caller("one"), now);
  expect([take(0), take(0)]).toEqual([0, 0]);
  expect(take(0)).toBe(5000);
  expect(take(4000)).toBe(1000);
  expect(take(5000)).toBe(0);
  expect(take(5000)).toBe(5000);
});

test("a clock that is set back adds no calls", () => {
  const limits = createRateLimits([{ calls: 1, seconds: 1 }]);
  expect(limits.take(tool("a"), caller("one"), 10_000)).toBe(0);
  expect(limits.take(tool("a"), caller("one"), 0)).toBe(1000);
});

test.each([
  ["caller", 0, 1000],
  ["tool", 1000, 0],
  ["caller-and-tool", 0, 0],
] as const)("per %s: another caller waits %s ms, another tool %s ms", (per, otherCaller, otherTool) => {
  const limits = createRateLimits([{ calls: 1, seconds: 1, per }]);
  limits.take(tool("a"), caller("one"), 0);
  expect(limits.take(tool("a"), caller("one"), 0)).toBe(1000);
  expect(limits.take(tool("a"), caller("two"), 0)).toBe(otherCaller);
  expect(limits.take(tool("b"), caller("one"), 0)).toBe(otherTool);
});

test("a call refused by one limit takes nothing from the others", () => {
  const limits = createRateLimits([
    { calls: 1, seconds: 1, tool: "a" },
    { calls: 2, seconds: 1 },
  ]);
  expect(limits.take(tool("a"), caller("one"), 0)).toBe(0);
  expect(limits.take(tool("a"), caller("one"), 0)).toBe(1000);
  expect(limits.take(tool("b"), caller("one"), 0)).toBe(0);
  expect(limits.take(tool("b"), caller("one"), 0)).toBe(500);
});

test("a limit for other callers does not apply to this one", () => {
  const limits = createRateLimits([{ calls: 1, seconds: 1, token: "ci", door: "mcp-http" }]);
  for (let call = 0; call < 5; call++) expect(limits.take(tool("a"), caller("main"), 0)).toBe(0);
});

test("what an agent or a server does for a caller counts as the caller's own calls", () => {
  const limits = createRateLimits([{ calls: 3, seconds: 1, door: "mcp-http" }]);
  expect(limits.take(tool("a"), caller("one"), 0)).toBe(0);
  expect(limits.take(tool("a"), { ...caller("one"), agent: "clawport" }, 0)).toBe(0);
  expect(limits.take(tool("a"), { ...caller("one"), server: "docs" }, 0)).toBe(0);
  expect(limits.take(tool("a"), { ...caller("one"), agent: "clawport" }, 0)).toBeGreaterThan(0);
  expect(limits.take(tool("a"), { ...caller("two"), agent: "clawport" }, 0)).toBe(0);
});

test("a limit for servers that use the model holds whoever's call it is for", () => {
  const limits = createRateLimits([{ calls: 1, seconds: 1, door: "server", per: "tool" }]);
  expect(limits.take(tool("a"), { ...caller("one"), server: "docs" }, 0)).toBe(0);
  expect(limits.take(tool("a"), { ...caller("two"), server: "docs" }, 0)).toBe(1000);
});
