import { expect, test } from "vitest";
import { runFuzz } from "./run-fuzz.ts";

test("twenty thousand valid and broken messages are all answered correctly, without a memory leak", async () => {
  const report = await runFuzz({ messages: 20_000, seed: 20_260_728 });
  expect(report.sent).toBeGreaterThanOrEqual(20_000);
  expect(report.heapLate - report.heapEarly).toBeLessThan(5_000_000);
}, 120_000);
