import { expect, test } from "vitest";
import { createCallMetrics, watchConnections, watchQueue, watchSessions } from "./clawport-metrics.ts";
import { createMetrics } from "./metrics.ts";
import { watchProcess } from "./process-metrics.ts";

test("a call is under way until it ends, then counted by outcome, code and time", () => {
  const metrics = createMetrics();
  const calls = createCallMetrics(metrics);
  const call = { door: "mcp-http", source: "files" };
  calls.callStarted(call);
  calls.callStarted(call);
  expect(metrics.render()).toContain('clawport_calls_in_flight{door="mcp-http",source="files"} 2\n');

  calls.callEnded({ ...call, outcome: "ok", seconds: 0.002 });
  calls.callEnded({ ...call, outcome: "fault", code: "timeout", seconds: 31 });

  const text = metrics.render();
  expect(text).toContain('clawport_calls_in_flight{door="mcp-http",source="files"} 0\n');
  expect(text).toContain('clawport_calls_total{door="mcp-http",source="files",outcome="ok"} 1\n');
  expect(text).toContain('clawport_calls_total{door="mcp-http",source="files",outcome="fault"} 1\n');
  expect(text).toContain('clawport_errors_total{door="mcp-http",source="files",code="timeout"} 1\n');
  expect(text).toContain('clawport_call_seconds_bucket{door="mcp-http",source="files",le="0.0025"} 1\n');
  expect(text).toContain('clawport_call_seconds_bucket{door="mcp-http",source="files",le="60"} 2\n');
  expect(text).toContain('clawport_call_seconds_count{door="mcp-http",source="files"} 2\n');
});

test("more sources than series still add up", () => {
  const metrics = createMetrics();
  const calls = createCallMetrics(metrics);
  for (let n = 0; n < 5000; n++) {
    const call = { door: "app-proxy", source: `app-${n}` };
    calls.callStarted(call);
    calls.callEnded({ ...call, outcome: "ok", seconds: 0.001 });
  }
  const total = metrics.read().find(({ name }) => name === "clawport_calls_total");
  const values = total?.type === "counter" ? total.series.map(({ value }) => value) : [];
  expect(values).toHaveLength(2001);
  expect(values.reduce((sum, value) => sum + value, 0)).toBe(5000);
  expect(metrics.render()).toContain('clawport_calls_in_flight{door="other",source="other"} 0\n');
});

test("connections, sessions and queues are read at the moment of the scrape", () => {
  const metrics = createMetrics();
  let open = 0;
  const stop = watchConnections(metrics, "mcp-http", () => open);
  watchSessions(metrics, () => 7);
  watchQueue(metrics, "approvals", () => 3);
  open = 4;

  const text = metrics.render();
  expect(text).toContain('clawport_connections{door="mcp-http"} 4\n');
  expect(text).toContain("clawport_sessions 7\n");
  expect(text).toContain('clawport_queue_length{queue="approvals"} 3\n');

  stop();
  expect(metrics.render()).not.toContain("clawport_connections");
});

test("the process reports its memory, CPU time, start and lag until it is disposed of", () => {
  const metrics = createMetrics();
  const number = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, "m").exec(metrics.render())?.[1]);
  {
    using _watching = watchProcess(metrics);
    expect(number("process_resident_memory_bytes")).toBeGreaterThan(10e6);
    expect(number("process_cpu_seconds_total")).toBeGreaterThan(0);
    expect(number("process_start_time_seconds")).toBeCloseTo(Date.now() / 1000 - process.uptime(), 0);
    expect(number("nodejs_eventloop_lag_seconds")).toBeGreaterThanOrEqual(0);
  }
  expect(number("process_cpu_seconds_total")).not.toBeGreaterThan(0);
});
