import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import type { AuditLine } from "../../src/catalog/audit/audit-line.ts";
import type { Asker } from "../../src/catalog/guard/askers.ts";
import type { CallDetail, FoundCall } from "../../src/hub/control/queries/search-audit.ts";
import { startApprovalHub } from "./approval-hub.ts";

const thinkingMs = 1500;

/** A person who thinks for a while, and allows all but one tool. */
const person: Asker = {
  id: "person",
  kind: "console",
  available: () => true,
  async ask({ tool }) {
    await sleep(thinkingMs);
    return tool === "files__delete" ? "no" : "once";
  },
};

test("waiting for a person is not the tool's time, and a refusal is not an error, wherever calls are shown", async () => {
  await using hub = await startApprovalHub({ askers: [person] });
  const call = await hub.caller("phone");
  await call("a.txt");
  await call("a.txt", "files__delete");
  const line = JSON.parse((await hub.run("audit", "--json", "--tool", "files__write_file")).out) as FoundCall;
  expect(line.waited).toBeGreaterThanOrEqual(thinkingMs - 10);
  expect(line.ms).toBeGreaterThanOrEqual(line.waited!);

  const { out } = await hub.run("audit");
  const [heading = "", ran = "", refused = ""] = out.split("\n");
  expect(heading).toMatch(/^TIME +OUTCOME +WAITED +RAN +ID +TOOL +CALLER$/);
  expect(ran).toMatch(/ {2}ok +\d{4,} ms +\d+ ms {2}\d+-\d+ +files__write_file +phone: .*: once by console$/);
  expect(refused).toMatch(/ {2}denied +\d{4,} ms +- {2}/);

  const { steps } = JSON.parse((await hub.run("audit", "show", line.id, "--json")).out) as CallDetail;
  const [arrived = 0, judged = 0, started = 0] = steps.map(({ at }) => Date.parse(at));
  expect(judged - arrived).toBeGreaterThanOrEqual(thinkingMs - 10);
  expect(started).toBe(judged);

  const status = JSON.parse((await hub.run("status", "--json")).out) as {
    hub: { calls: number; failedCalls: number; refusedCalls: number };
    series: { errors: number; refused: number; p95?: number }[];
  };
  expect(status.hub).toMatchObject({ calls: 2, failedCalls: 0, refusedCalls: 1 });
  expect(status.series.reduce((sum, { errors }) => sum + errors, 0)).toBe(0);
  expect(status.series.reduce((sum, each) => sum + each.refused, 0)).toBe(1);
  expect(Math.max(...status.series.map(({ p95 = 0 }) => p95))).toBeLessThan(line.ms);
  expect((await hub.run("status")).out).toContain("2 (1 refused)");

  const headers = { authorization: `Bearer ${await hub.mainToken()}` };
  const metrics = await (await fetch(new URL("/metrics", hub.url), { headers })).text();
  const labels = '{door="mcp-http",source="files"}';
  expect(metrics).toContain(`clawport_approval_seconds_count${labels} 2\n`);
  expect(metrics).toContain(`clawport_call_seconds_count${labels} 1\n`);
  expect(metrics).not.toContain('code="denied"');
  const usage = JSON.parse((await hub.run("usage", "--json")).out) as { total: { calls: number; errors: number } };
  expect(usage.total).toMatchObject({ calls: 2, errors: 0 });
});

test("with audit.arguments the audit says what was called with what, masked and cut; without it, it does not", async () => {
  for (const isKept of [true, false]) {
    await using hub = await startApprovalHub({ policy: { rules: [] }, more: { audit: { arguments: isKept } } });
    const call = await hub.caller("phone");
    await call(`notes.txt?token=${"s3cr3t".repeat(6)}`);
    await call("x".repeat(5000));
    const text = await readFile(join(hub.place.home, "audit", "calls.jsonl"), "utf8");
    const lines = text
      .trim()
      .split("\n")
      .map((each) => JSON.parse(each) as AuditLine);
    expect(text).not.toContain("s3cr3t");
    expect(lines.map((each) => each.arguments !== undefined)).toEqual([isKept, isKept]);
    if (!isKept) continue;
    expect(lines[0]?.arguments).toContain("notes.txt");
    expect(lines[1]?.arguments?.length).toBeLessThan(400);
    expect((await hub.run("audit", "--text", "notes.txt")).out).toContain("notes.txt");
  }
});
