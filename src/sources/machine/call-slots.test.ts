import { expect, test } from "vitest";
import { createCallSlots } from "./call-slots.ts";

test("a lower limit counts at once: a call that waits gets no slot above it", async () => {
  let limit = 3;
  const slots = createCallSlots(() => limit);
  const { signal } = new AbortController();
  const [first, ...others] = await Promise.all([1, 2, 3].map(() => slots.acquire(signal)));
  limit = 1;
  const waiting = slots.acquire(signal);
  first!();
  await expect(waiting).rejects.toThrow("already runs 1 calls");
  expect(slots.inUse).toBe(2);
  for (const release of others) release();
  await slots.acquire(signal);
  expect(slots.inUse).toBe(1);
});
