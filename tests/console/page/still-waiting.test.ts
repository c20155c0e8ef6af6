import { expect, test } from "vitest";
import { countWaiting } from "../../../console/src/hub/still-waiting.ts";
import type { WaitingCall } from "../../../src/catalog/guard/approvals-file.ts";

test("a call that was refused meanwhile is not counted as waiting", () => {
  const call = (openUntil?: number): WaitingCall =>
    ({ ...(openUntil !== undefined && { openUntil: new Date(openUntil).toISOString() }) }) as WaitingCall;
  const waiting = [call(Date.now() + 60_000), call(Date.now() - 1), call()];
  expect(countWaiting({ waiting, changed: [] })).toBe(1);
  expect(countWaiting(undefined)).toBe(0);
});
