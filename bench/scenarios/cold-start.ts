import { type Child, startNode, useOnce } from "../child.ts";
import { openStdioClient } from "../clients/stdio-client.ts";
import { echoParams } from "../payload.ts";
import { rotated, say } from "../scenario.ts";
import type { Effort, Scenario } from "../scenario.ts";
import { digits, judge, section } from "../section.ts";
import type { Bar } from "../section.ts";
import { median, minimum } from "../statistics.ts";
import { cliFile, startTarget } from "../targets.ts";

interface Starter {
  readonly title: string;
  start(): Child;
  /** The params of the first call; without one the process has only to end. */
  readonly firstCall?: string;
}

const limit = "hand-written (limit)";

const ours = {
  title: "clawport mcp-server",
  start: () => startNode([cliFile, "mcp-server"]),
  firstCall: '{"name":"order_openclaw","arguments":{"message":"/help"}}',
};

const starters: readonly Starter[] = [
  { title: "node -e 0", start: () => startNode(["-e", "0"]) },
  { title: limit, start: () => startTarget("limit-stdio"), firstCall: echoParams(100) },
  { title: "official SDK v2", start: () => startTarget("sdk-stdio"), firstCall: echoParams(100) },
  ours,
];

const bars: Readonly<Record<string, { readonly list: Bar; readonly call: Bar }>> = {
  "clawport mcp-server": { list: { atMost: 1.5 }, call: { atMost: 2 } },
};

export const coldStart: Scenario = {
  name: "cold-start",
  async run({ quick }: Effort) {
    const times = new Map(starters.map(({ title }) => [title, { list: [] as number[], call: [] as number[] }]));
    await useOnce(ours.start, (child) => timeFirstCall(child, ours.firstCall, 0));
    for (let round = -1; round < (quick ? 3 : 21); round++) {
      for (const starter of rotated(starters, Math.abs(round))) {
        const { list, call } = await timeStart(starter);
        if (round < 0) continue;
        times.get(starter.title)!.list.push(list);
        times.get(starter.title)!.call.push(call);
      }
    }
    say(`cold start: ${times.get(limit)!.list.length} rounds`);
    const rows = starters.flatMap(({ title, firstCall }) =>
      (firstCall === undefined ? (["list"] as const) : (["list", "call"] as const)).map((kind) => {
        const own = times.get(title)![kind];
        const base = times.get(limit)![kind];
        const ratio = median(own) / median(base);
        const until = firstCall === undefined ? "exit" : kind === "list" ? "tools/list" : "first tools/call";
        const numbers = [median(own), minimum(own), ratio, minimum(own) / minimum(base)].map(digits);
        return [title, until, ...numbers, ...judge(ratio, bars[title]?.[kind])];
      }),
    );
    const columns = [
      "target",
      "until",
      "median ms",
      "minimum ms",
      "× limit (median)",
      "× limit (minimum)",
      "bar",
      "verdict",
    ];
    const notes = [
      "From spawn to the answer, over stdio, with initialize before it. The first call follows the list. The program was used once before.",
    ];
    return [section({ title: "Cold start", notes, columns, rows })];
  },
};

async function timeStart({ start, firstCall }: Starter): Promise<{ list: number; call: number }> {
  const began = performance.now();
  await using child = start();
  if (firstCall === undefined) {
    await child.exited;
    const ms = performance.now() - began;
    return { list: ms, call: ms };
  }
  return await timeFirstCall(child, firstCall, began);
}

async function timeFirstCall(child: Child, params: string, began: number): Promise<{ list: number; call: number }> {
  const client = await openStdioClient(child);
  await client.request("tools/list", "{}");
  const list = performance.now() - began;
  await client.request("tools/call", params);
  return { list, call: performance.now() - began };
}
