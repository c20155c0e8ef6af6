import type { Child } from "../child.ts";
import type { Client } from "../clients/client.ts";
import { openHttpClient } from "../clients/http-client.ts";
import { openStdioClient } from "../clients/stdio-client.ts";
import { cpuPerCall, runLoad } from "../load.ts";
import type { Load } from "../load.ts";
import { echoParams, sizes } from "../payload.ts";
import { rotated, say } from "../scenario.ts";
import type { Effort, Scenario } from "../scenario.ts";
import { digits, judge, section } from "../section.ts";
import type { Bar, Section } from "../section.ts";
import { median, minimum, percentile } from "../statistics.ts";
import { contenders, contenderTitle, startHttpTarget, startTarget } from "../targets.ts";
import type { Contender } from "../targets.ts";

interface Runner {
  readonly contender: Contender;
  readonly child: Child;
  readonly client: Client;
}

interface Cell {
  readonly label: string;
  readonly bytes: number;
  readonly inFlight: number;
  readonly loads: Map<Contender, Load[]>;
}

interface Front {
  readonly name: string;
  readonly title: string;
  readonly notes: readonly string[];
  open(contender: Contender): Promise<Runner>;
  /** What is asked of ours at 100 B with 64 in flight. */
  readonly bars: { readonly calls: Bar; readonly cpu?: Bar };
}

export const stdioCalls = callScenario({
  name: "stdio",
  title: "`tools/call` over stdio",
  notes: [],
  bars: { calls: { atLeast: 0.5 } },
  async open(contender) {
    const child = startTarget(`${contender}-stdio`);
    return { contender, child, client: await openStdioClient(child) };
  },
});

export const httpCalls = callScenario({
  name: "http",
  title: "`tools/call` over HTTP",
  notes: ["Ours with the gate (token, headers) and the check of arguments against the schema; the limit has neither."],
  bars: { calls: { atLeast: 0.6 }, cpu: { atMost: 2.5 } },
  async open(contender) {
    const { child, target } = await startHttpTarget(`${contender}-http`);
    return { contender, child, client: await openHttpClient(target) };
  },
});

function callScenario(front: Front): Scenario {
  return { name: front.name, run: (effort) => measure(front, effort) };
}

async function measure(front: Front, { quick }: Effort): Promise<readonly Section[]> {
  const rounds = quick ? 1 : 5;
  const ms = quick ? 150 : 800;
  const cells = sizes.flatMap(({ bytes, label }) =>
    [1, 16, 64].map((inFlight): Cell => ({ label, bytes, inFlight, loads: new Map(contenders.map((c) => [c, []])) })),
  );
  await using stack = new AsyncDisposableStack();
  const runners: Runner[] = [];
  for (const contender of contenders) {
    const runner = await front.open(contender);
    stack.use(runner.child);
    stack.use(runner.client);
    runners.push(runner);
  }
  for (let round = -1; round < rounds; round++) {
    for (const cell of cells) {
      for (const runner of rotated(runners, Math.abs(round))) {
        const load = await loadCell(runner, cell, round < 0 ? ms / 2 : ms);
        if (round >= 0) cell.loads.get(runner.contender)!.push(load);
      }
    }
    say(`${front.name}: round ${round + 1} of ${rounds}`);
  }
  return [report(front, cells, rounds, ms)];
}

async function loadCell({ child, client }: Runner, { bytes, inFlight }: Cell, ms: number): Promise<Load> {
  const params = echoParams(bytes);
  return runLoad([child.pid], () => client.request("tools/call", params), inFlight, ms);
}

function report(front: Front, cells: readonly Cell[], rounds: number, ms: number): Section {
  const columns = [
    "data",
    "in flight",
    "target",
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
  const rows = cells.flatMap((cell) => contenders.map((contender) => cellRow(front, cell, contender)));
  const rate = `${rounds} rounds of ${ms} ms a cell, after one to warm up; ratios are taken within each round.`;
  return section({ title: front.title, notes: [rate, ...front.notes], columns, rows });
}

function cellRow(front: Front, cell: Cell, contender: Contender): readonly string[] {
  const own = cell.loads.get(contender)!;
  const base = cell.loads.get("limit")!;
  const latencies = own.flatMap((load) => load.latencies);
  const ratios = own.map((load, round) => load.callsPerSecond / base[round]!.callsPerSecond);
  const cpuRatio = cpuPerCall(own) / cpuPerCall(base);
  const judged = contender === "ours" && cell.bytes === 100 && cell.inFlight === 64;
  const calls = judge(median(ratios), judged ? front.bars.calls : undefined);
  const cpu = judge(cpuRatio, judged ? front.bars.cpu : undefined);
  return [
    cell.label,
    String(cell.inFlight),
    contenderTitle[contender],
    digits(median(own.map((load) => load.callsPerSecond))),
    digits(percentile(latencies, 50)),
    digits(percentile(latencies, 99)),
    digits(cpuPerCall(own)),
    digits(median(ratios)),
    digits(minimum(ratios)),
    digits(cpuRatio),
    [calls[0] && `calls ${calls[0]}`, cpu[0] && `CPU ${cpu[0]}`].filter(Boolean).join(", "),
    [calls[1], cpu[1]].includes("miss") ? "miss" : calls[1],
  ];
}
