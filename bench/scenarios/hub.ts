import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { type Child, firstLine, home, startNode } from "../child.ts";
import type { Client } from "../clients/client.ts";
import { openHttpClient } from "../clients/http-client.ts";
import { cpuPerCall, type Load, runLoad } from "../load.ts";
import { echoParams, sizes } from "../payload.ts";
import { targetFile } from "../prepare-targets.ts";
import { type Effort, rotated, say, type Scenario } from "../scenario.ts";
import { type Bar, digits, judge, section } from "../section.ts";
import { median, minimum, percentile } from "../statistics.ts";
import { cliFile, type HttpTarget, startHttpTarget, startTarget } from "../targets.ts";

interface Relayer {
  readonly title: string;
  readonly pid: number;
  readonly client: Client;
  /** What it calls the server's `echo`. */
  readonly tool: string;
}

interface Cell {
  readonly to: "stdio" | "HTTP";
  readonly size: (typeof sizes)[number];
  readonly bar: Bar;
  readonly loads: readonly [limit: Load[], hub: Load[]];
}

const inFlight = 64;
const [small, large] = sizes;

/** A hub between an HTTP client and its servers, guard and audit on, beside a hand-written relay. */
export const hub: Scenario = {
  name: "hub",
  async run({ quick }: Effort) {
    const rounds = quick ? 1 : 9;
    const ms = quick ? 300 : 1500;
    await using stack = new AsyncDisposableStack();
    const { child: far, target } = await startHttpTarget("limit-http");
    stack.use(far);
    const url = `http://127.0.0.1:${target.port}${target.path}`;
    const relayers = {
      stdio: [await openLimit([], stack), await openHub("near__echo", url, stack)],
      HTTP: [await openLimit([url], stack), await openHub("far__echo", url, stack)],
    } as const;
    const cells = (["stdio", "HTTP"] as const).flatMap((to): readonly Cell[] => [
      { to, size: small, bar: { atLeast: 0.7 }, loads: [[], []] },
      { to, size: large, bar: { atLeast: 0.9 }, loads: [[], []] },
    ]);
    for (let round = -1; round < rounds; round++) {
      for (const { to, size, loads } of cells) {
        for (const at of rotated([0, 1] as const, Math.abs(round))) {
          const { pid, client, tool } = relayers[to][at];
          const params = echoParams(size.bytes, tool);
          const load = await runLoad([pid], () => client.request("tools/call", params), inFlight, ms);
          if (round >= 0) loads[at].push(load);
        }
      }
      say(`hub: round ${round + 1} of ${rounds}`);
    }
    const notes = [
      `${inFlight} in flight, ${rounds} rounds of ${ms} ms a cell after one to warm up; ratios are taken within each round.`,
      "The limit parses and writes each message once each way and does nothing else. The hub checks the token, the arguments, the policy and the result, and writes the audit.",
      "`results.maxTokens` is off: with it on, a hub sends a preview of 100 KB of text, not the text.",
    ];
    const columns = [
      "to",
      "data",
      "relay",
      "calls/s",
      "p50 ms",
      "p99 ms",
      "CPU µs/call",
      "calls/s ÷ limit (median)",
      "(minimum)",
      "CPU ÷ limit",
      "bar",
      "verdict",
    ];
    const rows = cells.flatMap((cell) => relayers[cell.to].map(({ title }, at) => rowOf(cell, title, at)));
    return [section({ title: "A hub that relays to its servers", notes, columns, rows })];
  },
};

async function openLimit(args: readonly string[], stack: AsyncDisposableStack): Promise<Relayer> {
  const child = stack.use(startTarget("limit-relay", { args }));
  const client = stack.use(await openHttpClient(JSON.parse(await firstLine(child)) as HttpTarget));
  return { title: "hand-written relay (limit)", pid: child.pid, client, tool: "echo" };
}

/** One for each transport, so that both sides of a cell are alone. */
async function openHub(tool: string, url: string, stack: AsyncDisposableStack): Promise<Relayer> {
  const folder = path.join(home, tool);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const servers = { near: { command: process.execPath, args: [targetFile("limit-stdio")] }, far: { url } };
  const name = tool.split("__", 1)[0] as keyof typeof servers;
  const config = { servers: { [name]: servers[name] }, results: { maxTokens: "off" } };
  writeFileSync(path.join(folder, "clawport.json5"), JSON.stringify(config));
  const child = stack.use(startNode([cliFile, "up", "--json", "--port", "0", "--home", folder]));
  const client = stack.use(await openHttpClient(await targetOf(child, folder)));
  await client.request("tools/call", echoParams(small.bytes, tool));
  return { title: "clawport up", pid: child.pid, client, tool };
}

async function targetOf(child: Child, folder: string): Promise<HttpTarget> {
  const { address } = JSON.parse(await firstLine(child)) as { readonly address: string };
  const token = readFileSync(path.join(folder, "mcp-token.txt"), "utf8").trim();
  return { port: Number(new URL(address).port), path: "/mcp", token };
}

function rowOf({ to, size, bar, loads }: Cell, title: string, at: number): readonly string[] {
  const [base] = loads;
  const own = loads[at]!;
  const latencies = own.flatMap((load) => load.latencies);
  const ratios = own.map((load, round) => load.callsPerSecond / base[round]!.callsPerSecond);
  return [
    to,
    size.label,
    title,
    digits(median(own.map((load) => load.callsPerSecond))),
    digits(percentile(latencies, 50)),
    digits(percentile(latencies, 99)),
    digits(cpuPerCall(own)),
    digits(median(ratios)),
    digits(minimum(ratios)),
    digits(cpuPerCall(own) / cpuPerCall(base)),
    ...judge(median(ratios), at === 0 ? undefined : bar),
  ];
}
