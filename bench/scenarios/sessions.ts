import { once } from "node:events";
import { request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { openHttpClient } from "../clients/http-client.ts";
import { residentMb } from "../process-cost.ts";
import { rotated, say } from "../scenario.ts";
import type { Effort, Scenario } from "../scenario.ts";
import { digits, judge, section } from "../section.ts";
import { median, minimum } from "../statistics.ts";
import { contenders, contenderTitle, sessionProgram, startHttpTarget } from "../targets.ts";
import type { Contender, HttpTarget } from "../targets.ts";

const openAtOnce = 16;

export const sessions: Scenario = {
  name: "sessions",
  async run({ quick }: Effort) {
    const steps = quick ? [20, 50] : [100, 1000];
    const rounds = quick ? 1 : 3;
    const found = new Map(contenders.map((contender) => [contender, [] as number[][]]));
    for (let round = 0; round < rounds; round++) {
      for (const contender of rotated(contenders, round)) {
        found.get(contender)!.push(await memoryAt(contender, steps, quick ? 200 : 2000));
      }
      say(`sessions: round ${round + 1} of ${rounds}`);
    }
    const last = steps.length;
    const growth = (contender: Contender) => found.get(contender)!.map((row) => row[last]! - row[0]!);
    const rows = contenders.map((contender) => {
      const taken = found.get(contender)!;
      const levels = taken[0]!.map((_, step) => digits(median(taken.map((row) => row[step]!))));
      const ratio = median(growth(contender)) / median(growth("limit"));
      const verdict = judge(ratio, contender === "ours" ? { atMost: 2 } : undefined);
      const growths = [median(growth(contender)), minimum(growth(contender)), ratio].map(digits);
      return [contenderTitle[contender], ...levels, ...growths, ...verdict];
    });
    const columns = [
      "target",
      "idle MB",
      ...steps.map((count) => `${count} sessions`),
      "above idle (median)",
      "(minimum)",
      "÷ limit",
      "bar",
      "verdict",
    ];
    const notes = [
      "Resident memory. Each session is initialized, has listed the tools and keeps its GET stream open.",
      `${rounds} rounds with fresh processes.`,
    ];
    return [section({ title: "Memory by open sessions", notes, columns, rows })];
  },
};

async function memoryAt(contender: Contender, steps: readonly number[], restMs: number): Promise<number[]> {
  await using stack = new AsyncDisposableStack();
  const { child, target } = await startHttpTarget(sessionProgram[contender]);
  stack.use(child);
  const streams: AsyncDisposable[] = [];
  stack.defer(() => void streams.map((stream) => stream[Symbol.asyncDispose]()));
  await sleep(restMs);
  const levels = [residentMb(child.pid)];
  for (const count of steps) {
    while (streams.length < count) {
      const batch = Math.min(openAtOnce, count - streams.length);
      streams.push(...(await Promise.all(Array.from({ length: batch }, () => openSession(target)))));
    }
    await sleep(restMs);
    levels.push(residentMb(child.pid));
  }
  return levels;
}

/** Only the stream stays open: the connection that made the session is closed. */
async function openSession(target: HttpTarget): Promise<AsyncDisposable> {
  await using client = await openHttpClient(target);
  await client.request("tools/list", "{}");
  const { "Content-Type": _, ...headers } = client.headers;
  const stream = request({
    host: "127.0.0.1",
    port: target.port,
    path: target.path,
    headers: { ...headers, Accept: "text/event-stream" },
    agent: false,
  });
  stream.end();
  const [response] = await once(stream, "response");
  if (response.statusCode !== 200) throw new Error(`no event stream: HTTP ${response.statusCode}`);
  response.on("error", () => {}).resume();
  stream.on("error", () => {});
  return { [Symbol.asyncDispose]: async () => void stream.destroy() };
}
