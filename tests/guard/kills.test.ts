import { expect, test } from "vitest";
import { runKills } from "./run-kills.ts";

test("kill -9 under load loses no audit line of an answered call, and runs no call twice", async () => {
  const report = await runKills({ kills: 5, clients: 20, answersPerLife: 100, audit: () => ({}) });
  expect(report).toMatchObject({ kills: 5, executedTwice: 0, answeredWithoutLine: 0, processesLeft: 0 });
  expect(report.answered).toBeGreaterThanOrEqual(500);
}, 60_000);
