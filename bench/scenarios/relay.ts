import { startNode } from "../child.ts";
import { openStdioClient } from "../clients/stdio-client.ts";
import { cpuPerCall, runLoad } from "../load.ts";
import type { Load } from "../load.ts";
import { echoParams, sizes } from "../payload.ts";
import { pidsNaming } from "../process-cost.ts";
import { ours, oursByDefault, peers } from "../relays.ts";
import type { Relay } from "../relays.ts";
import { rotated, say } from "../scenario.ts";
import type { Effort, Scenario } from "../scenario.ts";
import { type Bar, digits, judge, section } from "../section.ts";
import { median, minimum, percentile } from "../statistics.ts";
import { startHttpTarget } from "../targets.ts";

export interface Runner {
  readonly title: string;
  readonly loads: Load[];
  /** Calls the server's `echo` with this much data. */
  call(bytes: number): Promise<unknown>;
  load(cell: Cell, ms: number): Promise<Load>;
}

interface Cell {
  readonly size: (typeof sizes)[number];
  readonly inFlight: number;
  readonly ours: Relay;
  readonly bars: { readonly calls: Bar; readonly cpu?: Bar };
}

const [small, large, huge] = sizes;
const cells: readonly Cell[] = [
  { size: small, inFlight: 64, ours, bars: { calls: { atLeast: 2 }, cpu: { atMost: 0.5 } } },
  { size: large, inFlight: 16, ours: oursByDefault, bars: { calls: { atLeast: 1.5 } } },
  { size: huge, inFlight: 16, ours: oursByDefault, bars: { calls: { atLeast: 1.2 } } },
];

export const relay: Scenario = {
  name: "relay",
  async run({ quick }: Effort) {
    const rounds = quick ? 1 : 9;
    const ms = quick ? 500 : 2000;
    await using stack = new AsyncDisposableStack();
    const { child, target } = await startHttpTarget("limit-http");
    stack.use(child);
    const url = `http://127.0.0.1:${target.port}${target.path}`;
    const rows: (readonly string[])[] = [];
    for (const cell of cells) {
      await using own = new AsyncDisposableStack();
      const mine = await openRelay(cell.ours, url, own);
      const { others, absent } = await openPeers(url, own);
      for (let round = -1; round < rounds; round++) {
        for (const runner of rotated([mine, ...others], Math.abs(round))) {
          const load = await runner.load(cell, ms);
          if (round >= 0) runner.loads.push(load);
        }
        say(`relay, ${cell.size.label}: round ${round + 1} of ${rounds}`);
      }
      rows.push(
        ...[...others.map(rowOf), ...absent, ownRow(cell, mine, others)].map((row) => [cell.size.label, ...row]),
      );
    }
    const notes = [
      `64 in flight with 100 B, 16 with more; ${rounds} rounds of ${ms} ms each after one to warm up, interleaved, all to one hand-written HTTP server.`,
      "The bar is against the best of the others. With 100 B either value is enough.",
      "By default, large results are kept, and Clawport sends previews of them; the others send them whole.",
    ];
    const columns = [
      "data",
      "relay",
      "calls/s (median)",
      "(minimum)",
      "p50 ms",
      "p99 ms",
      "CPU µs/call",
      "calls/s ÷ best",
      "CPU ÷ best",
      "bar",
      "verdict",
    ];
    const filled = rows.map((row) => columns.map((_, at) => row[at] ?? ""));
    return [section({ title: "An HTTP server relayed to stdio", notes, columns, rows: filled })];
  },
};

/** What others offer; those that could not be installed or started have a row that says so. */
export async function openPeers(
  url: string,
  stack: AsyncDisposableStack,
): Promise<{ readonly others: readonly Runner[]; readonly absent: readonly string[][] }> {
  const others: Runner[] = [];
  const absent: string[][] = [];
  for (const peer of peers) {
    try {
      others.push(await openRelay(peer, url, stack));
    } catch (error) {
      const why = String(error).split("\n", 1)[0]!.slice(0, 100);
      absent.push([peer.title, `could not be measured: ${why}`]);
    }
  }
  return { others, absent };
}

export async function openRelay(given: Relay, url: string, stack: AsyncDisposableStack): Promise<Runner> {
  const { args, tool, helpersName } = await given.prepare(url);
  const child = stack.use(startNode(args));
  if (helpersName !== undefined) {
    stack.defer(() => endHelpers(helpersName));
    process.once("exit", () => endHelpers(helpersName));
  }
  const client = await openStdioClient(child);
  const call = (bytes: number): Promise<unknown> => client.request("tools/call", echoParams(bytes, tool));
  await client.request("tools/list", "{}");
  await call(small.bytes);
  const pids = [...new Set([child.pid, ...(helpersName === undefined ? [] : pidsNaming(helpersName))])];
  return {
    title: given.title,
    loads: [],
    call,
    load({ size, inFlight }, ms) {
      const params = echoParams(size.bytes, tool);
      return runLoad(pids, () => client.request("tools/call", params), inFlight, ms);
    },
  };
}

/** Helpers go on when the one that started them ends. */
function endHelpers(name: string): void {
  for (const pid of pidsNaming(name)) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has just gone by itself.
    }
  }
}

function ownRow({ bars }: Cell, own: Runner, others: readonly Runner[]): readonly string[] {
  const calls = callsPerSecond(own) / Math.max(...others.map(callsPerSecond));
  const cpu = cpuPerCall(own.loads) / Math.min(...others.map(({ loads }) => cpuPerCall(loads)));
  const [callsBar, callsVerdict] = judge(calls, bars.calls);
  const [cpuBar, cpuVerdict] = judge(cpu, bars.cpu);
  const bar = bars.cpu === undefined ? `calls ${callsBar}` : `calls ${callsBar} or CPU ${cpuBar}`;
  const verdict = [callsVerdict, cpuVerdict].includes("pass") ? "pass" : "miss";
  return [...rowOf(own), digits(calls), digits(cpu), bar, verdict];
}

function rowOf({ title, loads }: Runner): readonly string[] {
  const latencies = loads.flatMap((load) => load.latencies);
  const rates = loads.map((load) => load.callsPerSecond);
  const numbers = [median(rates), minimum(rates), percentile(latencies, 50), percentile(latencies, 99)];
  return [title, ...numbers.map(digits), digits(cpuPerCall(loads))];
}

function callsPerSecond({ loads }: Runner): number {
  return median(loads.map((load) => load.callsPerSecond));
}
