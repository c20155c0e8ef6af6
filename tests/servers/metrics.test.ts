import { expect, test } from "vitest";
import { createServerMetrics } from "../../src/core/telemetry/clawport-metrics.ts";
import { createMetrics } from "../../src/core/telemetry/metrics.ts";
import { until } from "../support/until.ts";
import { openRogueHttp } from "./fixtures/rogue-http.ts";
import { startEngine } from "../support/start-engine.ts";

test("servers are counted by where they stand, and each time one has to be tried again", async () => {
  const metrics = createMetrics();
  const shown = (line: string) => metrics.render().includes(`${line}\n`);
  await using rogue = await openRogueHttp();
  const same = { url: rogue.url, apiKey: "key" };
  const engine = await startEngine(
    { a: same, b: same, gone: { command: "no-such-program" } },
    { metrics: createServerMetrics(metrics) },
  );
  expect(shown('clawport_servers{state="ready"} 2')).toBe(true);
  expect(shown('clawport_servers{state="needs-sign-in"} 0')).toBe(true);
  expect(metrics.render()).toMatch(/clawport_server_reconnects_total\{server="gone"\} \d+\n/);
  expect(metrics.render()).not.toContain('server="a"');
  rogue.forgetSessions();
  await engine.call("a__write");
  for (const name of ["a", "b"]) expect(shown(`clawport_server_reconnects_total{server="${name}"} 1`)).toBe(true);
  await until(() => shown('clawport_servers{state="ready"} 2'));
  await engine[Symbol.asyncDispose]();
  expect(metrics.render()).not.toContain("clawport_servers{");
});
