import { startNode } from "../child.ts";
import { openStdioClient } from "../clients/stdio-client.ts";
import { cpuPerCall, runLoad } from "../load.ts";
import type { Load } from "../load.ts";
import { echoParams } from "../payload.ts";
import { pidsNaming } from "../process-cost.ts";
import { ours, peers } from "../relays.ts";
import type { Relay } from "../relays.ts";
import { rotated, say } from "../scenario.ts";
import type { Effort, Scenario } from "../scenario.ts";
import { digits, judge, section } from "../section.ts";
import { median, minimum, percentile } from "../statistics.ts";
import { startHttpTarget } from "../targets.ts";

interface Runner {
  readonly title: string;
  readonly loads: Load[];
  load(ms: number): Promise<Load>;
}

const inFlight = 64;
const bars = { calls: { atLeast: 2 }, cpu: { atMost: 0.5 } } as const;

export const relay: Scenario = {
  name: "relay",
  async run({ quick }: Effort) {
    const rounds = quick ? 3 : 9;
    const ms = quick ? 500 : 2000;
    await using stack = new AsyncDisposableStack();
    const { child, target } = await startHttpTarget("limit-http");
    stack.use(child);
    const url = `http://127.0.0.1:${target.port}${target.path}`;
    const own = await openRelay(ours, url, stack);
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
    for (let round = -1; round < rounds; round++) {
      for (const runner of rotated([own, ...others], Math.abs(round))) {
        const load = await runner.load(ms);
        if (round >= 0) runner.loads.push(load);
      }
      say(`relay: round ${round + 1} of ${rounds}`);
    }
    const notes = [
      `100 B, ${inFlight} in flight, ${rounds} rounds of ${ms} ms each after one to warm up, interleaved, all to one hand-written HTTP server.`,
      "The bar: twice the calls/s of the best of the others, or half the processor time per call.",
    ];
    const columns = [
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
    const rows = [...others.map(rowOf), ...absent, ownRow(own, others)].map((row) =>
      columns.map((_, at) => row[at] ?? ""),
    );
    return [section({ title: "An HTTP server relayed to stdio", notes, columns, rows })];
  },
};

async function openRelay(given: Relay, url: string, stack: AsyncDisposableStack): Promise<Runner> {
  const { args, tool, helpersName } = await given.prepare(url);
  const child = stack.use(startNode(args));
  if (helpersName !== undefined) {
    stack.defer(() => endHelpers(helpersName));
    process.once("exit", () => endHelpers(helpersName));
  }
  const client = await openStdioClient(child);
  const params = echoParams(100, tool);
  await client.request("tools/list", "{}");
  await client.request("tools/call", params);
  const pids = [...new Set([child.pid, ...(helpersName === undefined ? [] : pidsNaming(helpersName))])];
  return {
    title: given.title,
    loads: [],
    load: (ms) => runLoad(pids, () => client.request("tools/call", params), inFlight, ms),
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

function ownRow(own: Runner, others: readonly Runner[]): readonly string[] {
  const calls = callsPerSecond(own) / Math.max(...others.map(callsPerSecond));
  const cpu = cpuPerCall(own.loads) / Math.min(...others.map(({ loads }) => cpuPerCall(loads)));
  const [callsBar, callsVerdict] = judge(calls, bars.calls);
  const [cpuBar, cpuVerdict] = judge(cpu, bars.cpu);
  const verdict = [callsVerdict, cpuVerdict].includes("pass") ? "pass" : "miss";
  return [...rowOf(own), digits(calls), digits(cpu), `calls ${callsBar} or CPU ${cpuBar}`, verdict];
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
