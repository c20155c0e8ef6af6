import { type Child, firstLine, startNode, useOnce } from "../child.ts";
import { type Effort, rotated, type Scenario } from "../scenario.ts";
import { digits, judge, section } from "../section.ts";
import { median, minimum } from "../statistics.ts";
import { cliFile, startTarget } from "../targets.ts";

const limit = "hand-written (limit)";

const starters = [
  { title: limit, start: () => startTarget("limit-http") },
  { title: "official SDK v2", start: () => startTarget("sdk-http") },
  {
    title: "clawport up",
    start: () => startNode([cliFile, "up", "--json", "--port", "0"]),
    bar: { atMost: 2.5 },
  },
] as const;

/** How long a hub without servers takes until it listens and says so. */
export const up: Scenario = {
  name: "up",
  async run({ quick }: Effort) {
    const times = new Map<string, number[]>(starters.map(({ title }) => [title, []]));
    await useOnce(starters[2].start, firstLine);
    for (let round = -2; round < (quick ? 3 : 21); round++) {
      for (const { title, start } of rotated(starters, Math.abs(round))) {
        const ms = await timeToReady(start);
        if (round >= 0) times.get(title)!.push(ms);
      }
    }
    const base = times.get(limit)!;
    const rows = starters.map(({ title, ...starter }) => {
      const own = times.get(title)!;
      const ratio = median(own) / median(base);
      const bar = judge(ratio, "bar" in starter ? starter.bar : undefined);
      return [title, digits(median(own)), digits(minimum(own)), digits(ratio), ...bar];
    });
    const columns = ["target", "median ms", "minimum ms", "× limit (median)", "bar", "verdict"];
    const notes = [
      `From spawn to the line that says where it listens, over HTTP, without servers. ${base.length} rounds.`,
    ];
    return [section({ title: "`clawport up`, until it is ready", notes, columns, rows })];
  },
};

async function timeToReady(start: () => Child): Promise<number> {
  const began = performance.now();
  await using child = start();
  await firstLine(child);
  return performance.now() - began;
}
