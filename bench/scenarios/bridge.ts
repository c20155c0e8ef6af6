import { setTimeout as sleep } from "node:timers/promises";
import { type BridgeKind, bridgeKinds, startBridge } from "../bridges.ts";
import { cpuPerCall, type Load, runLoad } from "../load.ts";
import { residentMb } from "../process-cost.ts";
import { type Effort, rotated, type Scenario, say } from "../scenario.ts";
import { type Bar, digits, judge, section, type Section } from "../section.ts";
import { median, percentile } from "../statistics.ts";
import { contenderTitle } from "../targets.ts";

export const bridge: Scenario = {
  name: "bridge",
  run: async (effort) => [await measureCalls(effort), await measureIdle(effort)],
};

type Loads = Readonly<Record<BridgeKind, Load[]>>;

async function measureCalls({ quick }: Effort): Promise<Section> {
  const apps = quick ? 20 : 1000;
  const rounds = quick ? 1 : 5;
  const ms = quick ? 150 : 1500;
  const cells = [1, 64].map((inFlight) => ({ inFlight, loads: { limit: [], ours: [] } as Loads }));
  await using stack = new AsyncDisposableStack();
  const runners = [];
  for (const kind of bridgeKinds) {
    const running = stack.use(await startBridge(kind));
    runners.push({ kind, pid: running.child.pid, client: await running.connect(apps) });
  }
  for (let round = -1; round < rounds; round++) {
    for (const { inFlight, loads } of cells) {
      for (const { kind, pid, client } of rotated(runners, Math.abs(round))) {
        // A proxy runs for weeks: what counts is how it runs once its code is compiled.
        const load = await runLoad([pid], () => client.call(), inFlight, round < 0 ? ms * 3 : ms);
        if (round >= 0) loads[kind].push(load);
      }
    }
    say(`bridge: round ${round + 1} of ${rounds}`);
  }
  const columns = ["in flight", "target", "calls/s", "p50 ms", "p99 ms", "CPU µs/call", "÷ limit", "bar", "verdict"];
  const notes = [
    `${apps} apps with 5 tools each, 100 B; ${rounds} rounds of ${ms} ms a cell after one to warm up; the ratios are medians of those within a round.`,
    "Ours is `clawport proxy` as it is run: tokens, checked arguments, guard, audit, sessions on disk. The limit has none of it.",
  ];
  const rows = cells.flatMap(({ inFlight, loads }) => bridgeKinds.map((kind) => cellRow(inFlight, kind, loads)));
  return section({ title: "Calls through the app bridge", notes, columns, rows });
}

function cellRow(inFlight: number, kind: BridgeKind, loads: Loads): readonly string[] {
  const own = loads[kind];
  const latencies = own.flatMap((load) => load.latencies);
  const p50 = (load: Load) => percentile(load.latencies, 50);
  const compare = (of: (load: Load) => number) => median(own.map((load, at) => of(load) / of(loads.limit[at]!)));
  const judged: readonly (readonly [what: string, ratio: number, bar: Bar | undefined])[] =
    inFlight === 1
      ? [["p50", compare(p50), { atMost: 1.5 }]]
      : [
          ["calls", compare((load) => load.callsPerSecond), { atLeast: 0.6 }],
          ["CPU", cpuPerCall(own) / cpuPerCall(loads.limit), { atMost: 2.5 }],
        ];
  const verdicts = judged.map(([, ratio, bar]) => judge(ratio, kind === "ours" ? bar : undefined));
  return [
    String(inFlight),
    contenderTitle[kind],
    digits(median(own.map((load) => load.callsPerSecond))),
    digits(percentile(latencies, 50)),
    digits(percentile(latencies, 99)),
    digits(cpuPerCall(own)),
    judged.map(([what, ratio]) => `${what} ${digits(ratio)}`).join(", "),
    kind === "ours" ? judged.map(([what], at) => `${what} ${verdicts[at]![0]}`).join(", ") : "",
    verdicts.some(([, verdict]) => verdict === "miss") ? "miss" : verdicts[0]![1],
  ];
}

async function measureIdle({ quick }: Effort): Promise<Section> {
  const apps = quick ? 200 : 10_000;
  const rounds = quick ? 1 : 3;
  const found: Record<BridgeKind, (readonly [idle: number, full: number])[]> = { limit: [], ours: [] };
  for (let round = 0; round < rounds; round++) {
    for (const kind of rotated(bridgeKinds, round)) {
      await using running = await startBridge(kind);
      await sleep(quick ? 200 : 2000);
      const idle = residentMb(running.child.pid);
      await running.connect(apps);
      await sleep(quick ? 200 : 5000);
      found[kind].push([idle, residentMb(running.child.pid)]);
    }
    say(`bridge, idle: round ${round + 1} of ${rounds}`);
  }
  const rows = bridgeKinds.map((kind) => {
    const each = median(found[kind].map(([idle, full]) => ((full - idle) * 1024) / apps));
    const levels = [0, 1].map((at) => digits(median(found[kind].map((row) => row[at]!))));
    return [
      contenderTitle[kind],
      ...levels,
      digits(each),
      ...judge(each, kind === "ours" ? { atMost: 25 } : undefined),
    ];
  });
  const columns = ["target", "MB without apps", `MB with ${apps}`, "KB an app", "bar", "verdict"];
  const notes = [
    `Resident memory; each app has a session with 5 tools and a bridge. ${rounds} rounds with fresh processes.`,
  ];
  return section({ title: "Memory by idle bridges", notes, columns, rows });
}
