import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { startHub } from "../cli/run-clawport.ts";
import { placeWith, runHere, shelf } from "../cli/shelf.ts";
import { agePins } from "../support/age-pins.ts";
import { postAtSocket } from "../support/hub-socket.ts";
import { until } from "../support/until.ts";

vi.setConfig({ testTimeout: 60_000 });

interface Report {
  readonly total: { readonly calls: number; readonly errors: number; readonly tokensOut: number };
  readonly servers: readonly { readonly server: string; readonly calls: number }[];
  readonly tools: readonly { readonly tool: string; readonly calls: number; readonly errors: number }[];
  readonly callers: readonly { readonly caller: string; readonly calls: number }[];
  readonly unused: { readonly servers: readonly string[]; readonly tools: readonly { readonly tool: string }[] };
}

test("calls are counted without a hub, by a hub, and after it ended; what was never used is named", async () => {
  await using place = await placeWith({ shelf: shelf("one"), spare: shelf("two") });
  const run = async (...argv: string[]) => (await runHere(place, argv)).out;
  const usage = async (...argv: string[]) => JSON.parse(await run("usage", "--json", ...argv)) as Report;
  await run("tools");
  await run("call", "shelf__pid");
  // Both are new: no one has had a chance to use them.
  expect((await usage()).unused).toEqual({ servers: [], tools: [] });
  expect(await run("usage")).not.toContain("never used");
  await agePins(place.home);
  expect(await usage()).toMatchObject({
    total: { calls: 1, errors: 0 },
    callers: [{ caller: "cli", calls: 1 }],
    unused: { servers: ["spare"] },
  });

  const hub = await startHub(place, "--port", "0");
  await until(async () => (await usage()).unused.tools.length === 13);
  await run("call", "shelf__pid");
  await run("call", "shelf__fail");
  const token = (await readFile(hub.ready.tokenPath, "utf8")).trim();
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const post = (path: string, body: object) =>
    fetch(new URL(path, hub.ready.url), { method: "POST", headers, body: JSON.stringify(body) });
  await post("/mcp", { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "shelf__pid", arguments: {} } });
  const report = await usage("--days", "7");
  expect(report).toMatchObject({
    total: { calls: 4, errors: 1 },
    servers: [{ server: "shelf", calls: 4 }],
    tools: [
      { tool: "shelf__pid", calls: 3, errors: 0 },
      { tool: "shelf__fail", calls: 1, errors: 1 },
    ],
    callers: [
      { caller: "cli", calls: 3 },
      { caller: "mcp-http/main", calls: 1 },
    ],
    unused: { servers: ["spare"] },
  });
  expect(report.unused.tools.map(({ tool }) => tool)).toContain("shelf__put");
  expect(report.unused.tools.map(({ tool }) => tool)).not.toContain("shelf__pid");
  const asked = await postAtSocket(place.home, "/control/usage.read", { days: 7 });
  expect(JSON.parse(asked.text)).toEqual({ result: report });
  expect((await postAtSocket(place.home, "/control/usage.read", { days: "x" })).status).toBe(400);
  const metrics = await (await fetch(new URL("/metrics", hub.ready.url), { headers })).text();
  expect(metrics).toMatch(/clawport_tokens_total\{source="shelf",direction="out"\} \d+/);
  const text = await run("usage");
  expect(text).toMatch(/: 4 calls \(1 failed\)\.\nEstimated: \d+ tokens in, \d+ out\./);
  expect(text).toContain("Servers never used: spare.");

  hub.child.kill("SIGINT");
  await hub.ended;
  expect((await usage()).total).toMatchObject({ calls: 4, errors: 1 });
  const days = (await readdir(join(place.home, "usage"))).filter((name) => name.endsWith(".json"));
  expect(days.length).toBeLessThanOrEqual(2);
});

test("tools --cost counts the tokens of each definition, by server", async () => {
  await using place = await placeWith({ shelf: shelf("one") });
  const { out } = await runHere(place, ["tools", "--cost", "--json"]);
  const cost = JSON.parse(out) as { tokens: number; servers: object[]; tools: { tool: string; tokens: number }[] };
  expect(cost).toMatchObject({
    tokenizer: "o200k_base",
    servers: [{ server: "shelf", tools: 7, tokens: cost.tokens }],
  });
  expect(cost.tools).toHaveLength(7);
  expect(cost.tools[0]).toMatchObject({ tool: "shelf__put" });
  expect(cost.tools.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(cost.tokens);
  expect(cost.tokens).toBeGreaterThan(100);
  expect(cost.tokens).toBeLessThan(500);
  const text = (await runHere(place, ["tools", "shelf", "--cost"])).out;
  expect(text).toContain(`${cost.tokens} tokens for 7 tools of 1 server.`);
});
