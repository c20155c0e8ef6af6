import { expect, test, vi } from "vitest";
import { startProxy } from "../start-proxy.ts";
import { runCrowd } from "./run-crowd.ts";
import { runCuts } from "./run-cuts.ts";
import { runFuzz } from "./run-fuzz.ts";
import { runHostile } from "./run-hostile.ts";

vi.setConfig({ testTimeout: 300_000 });

const mega = 1024 * 1024;

test("20,000 odd messages of apps and clients do no harm to others, and every caller gets a response", async () => {
  const report = await runFuzz(20_000, 7);
  expect(report).toMatchObject({ fromApps: 16_000, fromClients: 4000, callsEnded: 320 });
  expect(report.statuses.filter((status) => status >= 500)).toEqual([]);
  expect(report.served).toBeGreaterThan(30);
});

test("1,000 calls with random disconnects: nothing runs twice, every call ends, every outcome is true", async () => {
  await using proxy = await startProxy();
  const { calls, wrong, maxRuns, kinds } = await runCuts(proxy, 1000, 17);
  expect({ calls, wrong, maxRuns }).toEqual({ calls: 1000, wrong: [], maxRuns: 1 });
  const said = Object.keys(kinds).join("\n");
  expect(said).toContain("ran #");
  expect(said).toContain("unknown");
});

test("many sessions with many tools each are accepted, and the good app is still served", async () => {
  expect(await runCrowd(200, 64)).toMatchObject({ opened: 200, refused: 0, listed: 201 });
});

test("floods, huge messages and clients that never read are stopped, and the good app is still served", async () => {
  const options = { flood: 40_000, requests: 2000, messageBytes: 128 * mega, readers: 8, answerBytes: 10 * mega };
  const report = await runHostile(options, "--most-held", "24");
  expect(report).toMatchObject({ floodClosedWith: 4429, requestsAnswered: 2000, hugeClosedWith: 1009 });
  for (const how of report.hugeBodies) expect(["413", "cut off"]).toContain(how);
  expect(report.slowReadersCut).toBeGreaterThan(0);
});
