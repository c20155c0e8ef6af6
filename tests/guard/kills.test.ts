import { expect, test } from "vitest";
import { clawport } from "../support/cli/run-clawport.ts";
import { runKills } from "./run-kills.ts";

test("kill -9 under load: every call that ran has an audit line, and none runs twice", async () => {
  let verified: unknown;
  const report = await runKills(
    // Small files, so that some kills come while the audit is rotated.
    { kills: 5, clients: 20, answersPerLife: 100, audit: (life) => ({ chain: life > 1, maxBytes: 20_000, keep: 500 }) },
    async (place) => (verified = JSON.parse((await clawport(place, "audit", "verify", "--json")).out)),
  );
  expect(report).toMatchObject({
    kills: 5,
    executedTwice: 0,
    executedWithoutLine: 0,
    answeredWithoutLine: 0,
    callsWithTwoLines: 0,
    processesLeft: 0,
  });
  expect(report.answered).toBeGreaterThanOrEqual(500);
  expect(verified).toMatchObject({ ok: true, breaks: [] });
}, 60_000);
