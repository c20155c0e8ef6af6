import { expect, test } from "vitest";
import { countWaiting, refusedOf } from "../../../console/src/hub/still-waiting.ts";
import type { WaitingCall } from "../../../src/catalog/guard/approvals-file.ts";

test("a call whose time ran out meanwhile is not counted as waiting", () => {
  const call = (openUntil?: number): WaitingCall =>
    ({ ...(openUntil !== undefined && { openUntil: new Date(openUntil).toISOString() }) }) as WaitingCall;
  const [open, late, refused] = [call(Date.now() + 60_000), call(Date.now() - 1), call()];
  const list = { waiting: [open, late], refused: [refused], changed: [] };
  expect(countWaiting(list)).toBe(1);
  expect(refusedOf(list)).toEqual([refused, late]);
  expect(countWaiting(undefined)).toBe(0);
});
