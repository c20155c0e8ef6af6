import { openHttpClient } from "../clients/http-client.ts";
import { echoParams } from "../payload.ts";
import { peakResidentMb, residentMb } from "../process-cost.ts";
import { say } from "../scenario.ts";
import type { Effort, Scenario } from "../scenario.ts";
import { digits, judge, section } from "../section.ts";
import { contenders, contenderTitle, sessionProgram, startHttpTarget } from "../targets.ts";
import type { Contender } from "../targets.ts";

export const largeCalls: Scenario = {
  name: "large-calls",
  async run({ quick }: Effort) {
    const wanted = quick ? 30 : 500;
    const rows: string[][] = [];
    for (const contender of contenders) {
      const { done, end, memory } = await callUntilItBreaks(contender, wanted);
      say(`large calls: ${contender} ${done} of ${wanted}`);
      const bar = contender === "ours" ? { atLeast: wanted } : undefined;
      rows.push([contenderTitle[contender], `${done} of ${wanted}`, ...memory.map(digits), end, ...judge(done, bar)]);
    }
    const columns = ["target", "calls done", "MB idle", "MB after", "MB at most", "end", "bar", "verdict"];
    const notes = ["One session, one call after another, `--max-old-space-size=300`."];
    return [section({ title: "Calls of 1 MB in a heap of 300 MB", notes, columns, rows })];
  },
};

async function callUntilItBreaks(
  contender: Contender,
  wanted: number,
): Promise<{ done: number; end: string; memory: readonly number[] }> {
  const { child, target } = await startHttpTarget(sessionProgram[contender], ["--max-old-space-size=300"]);
  await using _child = child;
  await using client = await openHttpClient(target);
  const params = echoParams(1024 * 1024);
  const idle = residentMb(child.pid);
  let done = 0;
  try {
    for (; done < wanted; done++) await client.request("tools/call", params);
    return { done, end: "alive", memory: [idle, residentMb(child.pid), peakResidentMb(child.pid)] };
  } catch (error) {
    const how = child.hasExited ? await child.exited : String(error);
    return { done, end: how.split("\n", 1)[0]!.slice(0, 80), memory: [idle, NaN, NaN] };
  }
}
