import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { expect, test, vi } from "vitest";
import { estimateDefinition } from "../../src/core/estimate-tokens.ts";
import { startHub } from "../support/cli/run-clawport.ts";
import { placeWith, runHere, shelf } from "../support/cli/test-home.ts";
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
      { caller: "main", calls: 1 },
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

test("`tools --cost`, `usage` and the console have the same figure for each definition", async () => {
  await using place = await placeWith({ shelf: shelf("one") });
  await using _hub = await startHub(place, "--port", "0");
  const read = async (...argv: string[]) => JSON.parse((await runHere(place, [...argv, "--json"])).out);
  await until(async () => (await read("tools", "shelf")).tools?.length === 7, "the tools");
  const cost = (await read("tools", "--cost")) as Cost;
  const shelfCost = (await read("tools", "shelf", "--cost")) as Cost;
  expect(shelfCost.servers).toEqual([{ server: "shelf", tools: 7, tokens: shelfCost.tokens }]);
  expect(shelfCost.tools[0]).toMatchObject({ tool: "shelf__put" });
  expect(shelfCost.tokens).toBeGreaterThan(100);
  expect(shelfCost.tokens).toBeLessThan(500);
  const { result } = JSON.parse((await postAtSocket(place.home, "/control/tools.search", { limit: 200 })).text);
  const shown = (result.tools as { name: string; tokens: number }[]).map(({ name, tokens }) => [name, tokens]);
  expect(Object.fromEntries(shown)).toEqual(Object.fromEntries(cost.tools.map(({ tool, tokens }) => [tool, tokens])));
  expect((await read("usage")).listed).toEqual({ tools: cost.tools.length, tokens: cost.tokens });
  const text = (await runHere(place, ["tools", "shelf", "--cost"])).out;
  expect(text).toContain(`${shelfCost.tokens} tokens for 7 tools of 1 server. Estimated`);
});

interface Cost {
  readonly tokens: number;
  readonly servers: readonly object[];
  readonly tools: readonly { readonly tool: string; readonly tokens: number }[];
}

test("a definition is estimated within a tenth of what o200k counts", () => {
  const definition = {
    name: "files__read_text_file",
    description:
      "Read the complete contents of a file from the file system as text. Handles various text encodings and provides detailed error messages if the file cannot be read. Use the 'head' parameter to read only the first N lines of a file.",
    inputSchema: {
      type: "object",
      properties: {
        path: { type: "string", description: "Where the file is, relative to the allowed folder" },
        head: { type: "number", description: "If provided, returns only the first N lines of the file" },
      },
      required: ["path"],
    },
  };
  const counted = countTokens(JSON.stringify(definition));
  expect(Math.abs(estimateDefinition(definition) / counted - 1)).toBeLessThan(0.1);
});
