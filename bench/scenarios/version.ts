import { startNode } from "../child.ts";
import { rotated } from "../scenario.ts";
import type { Effort, Scenario } from "../scenario.ts";
import { digits, judge, section } from "../section.ts";
import { median, minimum } from "../statistics.ts";
import { cliFile } from "../targets.ts";

const commands = [
  { title: "node -e 0", args: ["-e", "0"] },
  { title: "clawport --version", args: [cliFile, "--version"], bar: { atMost: 1.6 } },
] as const;

export const version: Scenario = {
  name: "version",
  async run({ quick }: Effort) {
    const times = new Map<string, number[]>(commands.map(({ title }) => [title, []]));
    for (let round = -2; round < (quick ? 5 : 30); round++) {
      for (const { title, args } of rotated(commands, Math.abs(round))) {
        const ms = await timeToExit(args);
        if (round >= 0) times.get(title)!.push(ms);
      }
    }
    const base = times.get("node -e 0")!;
    const rows = commands.map(({ title, ...command }) => {
      const own = times.get(title)!;
      const ratio = median(own) / median(base);
      const bar = judge(ratio, "bar" in command ? command.bar : undefined);
      const least = minimum(own) / minimum(base);
      return [title, digits(median(own)), digits(minimum(own)), digits(ratio), digits(least), ...bar];
    });
    const columns = ["command", "median ms", "minimum ms", "× node (median)", "× node (minimum)", "bar", "verdict"];
    return [section({ title: "`clawport --version`", notes: [`${base.length} rounds.`], columns, rows })];
  },
};

async function timeToExit(args: readonly string[]): Promise<number> {
  const start = performance.now();
  const how = await startNode(args).exited;
  if (!how.startsWith("exit code 0")) throw new Error(`${args.join(" ")}: ${how}`);
  return performance.now() - start;
}
