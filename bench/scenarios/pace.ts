import { setTimeout as sleep } from "node:timers/promises";
import { openHttpClient } from "../clients/http-client.ts";
import { echoParams } from "../payload.ts";
import { ours } from "../relays.ts";
import { type Effort, rotated, say, type Scenario } from "../scenario.ts";
import { digits, judge, section } from "../section.ts";
import { percentile } from "../statistics.ts";
import { startHttpTarget } from "../targets.ts";
import { openPeers, openRelay } from "./relay.ts";

const pauseMs = 200;
const bytes = 100;
const bars = { p50: { atMost: 1 }, p99: { atMost: 3 } } as const;

/** What a relay adds to one call at the pace of a model: one at a time, with a pause in which caches grow cold. */
export const pace: Scenario = {
  name: "pace",
  async run({ quick }: Effort) {
    const rounds = quick ? 3 : 200;
    await using stack = new AsyncDisposableStack();
    const { child, target } = await startHttpTarget("limit-http");
    stack.use(child);
    const url = `http://127.0.0.1:${target.port}${target.path}`;
    const near = stack.use(await openHttpClient(target));
    const direct = { title: "the server itself", call: () => near.request("tools/call", echoParams(bytes)) };
    const mine = await openRelay(ours, url, stack);
    const { others, absent } = await openPeers(url, stack);
    const callers = [direct, mine, ...others].map(({ title, call }) => ({ title, call, times: [] as number[] }));
    for (let round = -1; round < rounds; round++) {
      for (const { call, times } of rotated(callers, Math.abs(round))) {
        // Shared by all, so that each has its own pause behind it.
        await sleep(pauseMs / callers.length);
        const before = performance.now();
        await call(bytes);
        if (round >= 0) times.push(performance.now() - before);
      }
      if (round % 50 === 0) say(`pace: round ${round} of ${rounds}`);
    }
    const base = percentile(callers[0]!.times, 50);
    const rows = callers.map(({ title, times }) => {
      const [p50, p99] = [percentile(times, 50), percentile(times, 99)];
      const isOurs = title === ours.title;
      const verdicts = isOurs ? [judge(p50 - base, bars.p50), judge(p99 - base, bars.p99)] : [];
      const verdict = verdicts.length === 0 ? "" : verdicts.every(([, each]) => each === "pass") ? "pass" : "miss";
      const bar = verdicts.map(([each]) => each).join(", ");
      return [title, ...[p50, p99, p50 - base, p99 - base].map(digits), bar, verdict];
    });
    const columns = ["call", "p50 ms", "p99 ms", "adds at p50, ms", "adds at p99, ms", "bar", "verdict"];
    const filled = [...rows, ...absent].map((row) => columns.map((_, at) => row[at] ?? ""));
    const notes = [
      `${bytes} B, one call at a time, ${pauseMs} ms between two calls of the same relay, ${rounds} calls each, interleaved. What a relay adds is counted from the server's own p50.`,
    ];
    return [section({ title: "One call at the pace of a model", notes, columns, rows: filled })];
  },
};
