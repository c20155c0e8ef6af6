import { expect, test, vi } from "vitest";
import { runAttack } from "./run-attack.ts";

vi.setConfig({ testTimeout: 60_000 });

test("slow bodies, slow heads and slow calls of one token make no call of another fail", async () => {
  const { unloaded, loaded, main, attack } = await runAttack({ quietMs: 500, attackMs: 4000 });
  expect([unloaded.failures, loaded.failures, main.failures]).toEqual([{}, {}, {}]);
  expect(Math.min(loaded.calls, main.calls)).toBeGreaterThan(10);
  expect(attack).toMatchObject({ slowCalls: 0, refusedCalls: expect.any(Number) as number });
});
