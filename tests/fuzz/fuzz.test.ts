import { expect, test } from "vitest";
import { runFuzz } from "./run-fuzz.ts";

test("twenty thousand broken and sound messages are all answered rightly, and leave no memory behind", async () => {
  const report = await runFuzz({ messages: 20_000, seed: 20_260_728 });
  expect(report.sent).toBeGreaterThanOrEqual(20_000);
  expect(report.heapLate - report.heapEarly).toBeLessThan(5_000_000);
}, 120_000);
