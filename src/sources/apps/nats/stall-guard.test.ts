import { expect, test } from "vitest";
import { createStallGuard } from "./stall-guard.ts";

test("a process that was stopped is cautious for a moment, and then no longer", () => {
  let time = 1000;
  const guard = createStallGuard(() => time);
  expect(guard.hasJustStalled()).toBe(false);
  time += 249;
  expect(guard.hasJustStalled()).toBe(false);
  time += 251;
  expect(guard.hasJustStalled()).toBe(true);
  time += 99;
  expect(guard.hasJustStalled()).toBe(true);
  time += 2;
  expect(guard.hasJustStalled()).toBe(false);
  guard.close();
});

test("a blocked event loop is noticed by the first message after it, before any timer runs", () => {
  const guard = createStallGuard();
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
  expect(guard.hasJustStalled()).toBe(true);
  guard.close();
});
