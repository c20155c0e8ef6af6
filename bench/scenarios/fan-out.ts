import { firstLine } from "../child.ts";
import { targetFile } from "../prepare-targets.ts";
import { rotated, say } from "../scenario.ts";
import type { Effort, Scenario } from "../scenario.ts";
import { digits, judge, section } from "../section.ts";
import type { Bar } from "../section.ts";
import { median, minimum } from "../statistics.ts";
import { startTarget } from "../targets.ts";
import type { FanOutServer } from "../targets/fan-out.ts";

interface Listing {
  readonly wallMs: number;
  readonly cpuMs: number;
}

const clients = [
  { title: "official SDK v2 client", program: "sdk-fan-out" },
  { title: "clawport", program: "ours-fan-out" },
] as const;
const [sdk, ours] = clients;

/** Of each kind. */
const serverCount = 20;
const toolsPerServer = 2;

const measures: readonly { readonly title: string; readonly key: keyof Listing; readonly bar: Bar }[] = [
  { title: "wall", key: "wallMs", bar: { atMost: 1.5 } },
  { title: "CPU", key: "cpuMs", bar: { atMost: 1.25 } },
];

export const fanOut: Scenario = {
  name: "fan-out",
  async run({ quick }: Effort) {
    const rounds = quick ? 3 : 9;
    await using many = startTarget("limit-http-many", { args: [String(serverCount)] });
    const { ports } = JSON.parse(await firstLine(many)) as { ports: readonly number[] };
    const servers = JSON.stringify(serversOf(ports));
    const found = new Map<string, Listing[]>(clients.map(({ title }) => [title, []]));
    for (let round = -1; round < rounds; round++) {
      for (const { title, program } of rotated(clients, Math.abs(round))) {
        const listing = await listAll(program, servers);
        if (round >= 0) found.get(title)!.push(listing);
      }
    }
    say(`fan-out: ${rounds} rounds`);
    const rows = clients.flatMap(({ title }) =>
      measures.map((measure) => {
        const own = found.get(title)!.map((listing) => listing[measure.key]);
        const base = found.get(sdk.title)!.map((listing) => listing[measure.key]);
        const ratio = median(own) / median(base);
        const numbers = [median(own), minimum(own), ratio, minimum(own) / minimum(base)].map(digits);
        return [title, measure.title, ...numbers, ...judge(ratio, title === ours.title ? measure.bar : undefined)];
      }),
    );
    const columns = ["client", "what", "median ms", "minimum ms", "÷ SDK (median)", "(minimum)", "bar", "verdict"];
    const notes = [
      `From spawn until all tools of all servers are listed; ${rounds} rounds, interleaved. CPU is that of the client's process alone.`,
      "The SDK's client connects to all in parallel and speaks 2025-11-25 only; ours asks each server for 2026-07-28 first.",
    ];
    const title = `${serverCount} stdio and ${serverCount} HTTP servers, until all tools are listed`;
    return [section({ title, notes, columns, rows })];
  },
};

function serversOf(ports: readonly number[]): Record<string, FanOutServer> {
  const stdio = Array.from({ length: serverCount }, (_, index): [string, FanOutServer] => [
    `stdio-${index}`,
    { command: process.execPath, args: [targetFile("limit-stdio")] },
  ]);
  const http = ports.map((port, index): [string, FanOutServer] => [
    `http-${index}`,
    { url: `http://127.0.0.1:${port}/mcp` },
  ]);
  return Object.fromEntries([...stdio, ...http]);
}

async function listAll(program: string, servers: string): Promise<Listing> {
  const began = performance.now();
  await using client = startTarget(program, { args: [servers] });
  const { tools, cpuMs } = JSON.parse(await firstLine(client)) as { tools: number; cpuMs: number };
  const wallMs = performance.now() - began;
  if (tools !== 2 * serverCount * toolsPerServer) throw new Error(`${program} lists ${tools} tools`);
  // It closes its connections now; the next one must not find half-ended servers beside it.
  await client.exited;
  return { wallMs, cpuMs };
}
