import { fork } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { startHub } from "../../support/cli/run-clawport.ts";
import { placeWith, runHere } from "../../support/cli/test-home.ts";
import { until } from "../../support/until.ts";
import { createHubCaller, type HubCaller } from "./call-hub.ts";

export interface AttackTimes {
  /** How long the calls are measured without the attack. */
  readonly quietMs: number;
  readonly attackMs: number;
}

export interface MeasuredCalls {
  readonly calls: number;
  /** How often each failure came. */
  readonly failures: Readonly<Record<string, number>>;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export interface AttackReport {
  readonly unloaded: MeasuredCalls;
  readonly loaded: MeasuredCalls;
  /** Calls of the main token during the attack. */
  readonly main: MeasuredCalls;
  /** What the attacker did. */
  readonly attack: unknown;
}

const fileOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** Attacks a hub in a process of its own with one token, and measures the calls of another meanwhile. */
export async function runAttack({ quietMs, attackMs }: AttackTimes): Promise<AttackReport> {
  const server = { command: process.execPath, args: [fileOf("waiting-server.ts")] };
  await using place = await placeWith({ slow: server, quick: server });
  const addToken = async (name: string, view: string): Promise<string> =>
    (await runHere(place, ["token", "add", name, "--view", view])).out.trim();
  const bad = await addToken("bad", "slow");
  const good = await addToken("good", "quick");
  await using hub = await startHub(place, "--port", "0");
  const { port, tokenPath } = hub.ready;
  using caller = createHubCaller(port, good);
  using main = createHubCaller(port, (await readFile(tokenPath, "utf8")).trim());
  await until(async () => (await caller.call("echo")) === "ok" && (await main.call("quick__echo")) === "ok");
  // The first calls compile what later ones run.
  await measure(caller, "echo", Math.min(quietMs, 2000));
  const unloaded = await measure(caller, "echo", quietMs);

  const attacker = fork(fileOf("attacker.ts"), [String(port), bad]);
  await once(attacker, "message");
  const [loaded, ofMain] = await Promise.all([
    measure(caller, "echo", attackMs),
    measure(main, "quick__echo", attackMs, 1),
  ]);
  attacker.send("stop");
  const [attack] = await once(attacker, "message");
  return { unloaded, loaded, main: ofMain, attack };
}

/** So many callers, each with a short pause between its calls: about 80 calls a second each. */
async function measure(caller: HubCaller, tool: string, ms: number, callers = 4): Promise<MeasuredCalls> {
  const end = performance.now() + ms;
  const times: number[] = [];
  const failures: Record<string, number> = {};
  const work = async (): Promise<void> => {
    while (performance.now() < end) {
      const started = performance.now();
      const outcome = await caller.call(tool);
      times.push(performance.now() - started);
      if (outcome !== "ok") failures[outcome] = (failures[outcome] ?? 0) + 1;
      await sleep(10);
    }
  };
  await Promise.all(Array.from({ length: callers }, work));
  times.sort((a, b) => a - b);
  const percentile = (share: number): number => Number((times[Math.floor(times.length * share)] ?? 0).toFixed(2));
  return { calls: times.length, failures, p50Ms: percentile(0.5), p99Ms: percentile(0.99) };
}
