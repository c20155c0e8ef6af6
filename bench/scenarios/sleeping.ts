import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Child, firstLine, home, startNode, useOnce } from "../child.ts";
import type { Client } from "../clients/client.ts";
import { openStdioClient } from "../clients/stdio-client.ts";
import { echoParams } from "../payload.ts";
import { targetFile } from "../prepare-targets.ts";
import { pidsNaming } from "../process-cost.ts";
import { type Effort, rotated, say, type Scenario } from "../scenario.ts";
import { type Bar, digits, judge, section } from "../section.ts";
import { median, minimum } from "../statistics.ts";
import { cliFile, startTarget } from "../targets.ts";

const serverCount = 20;
/** Made with the official SDK, as most are; the others are hand-written. */
const sdkIndex = 13;
/** No model answers sooner to a list of tools. */
const thinkingMs = 500;
/** Tells the configured servers from all other processes. */
const marker = "bench-sleeper";
const state = path.join(home, "sleeping");
/** Where no client was before. */
const newState = path.join(home, "sleeping-new");

interface Measure {
  readonly title: string;
  readonly until: string;
  readonly base: string;
  readonly bar?: Bar;
}

const measures: readonly Measure[] = [
  { title: "hand-written (limit), stdio", until: "tools/list", base: "limit" },
  { title: "clawport serve --stdio", until: "tools/list", base: "limit", bar: { atMost: 2 } },
  { title: "the same, for a client that is new to it", until: "tools/list", base: "limit" },
  { title: "hand-written (limit), HTTP", until: "ready", base: "limit-http" },
  { title: "clawport up", until: "ready", base: "limit-http", bar: { atMost: 3 } },
  { title: "hand-written server, started by hand", until: "its first answer", base: "server" },
  { title: "the same, asleep in clawport", until: "its first answer", base: "server", bar: { atMost: 1.2 } },
  { title: "server with the official SDK, by hand", until: "its first answer", base: "sdk" },
  { title: "the same, asleep in clawport", until: "its first answer", base: "sdk", bar: { atMost: 1.2 } },
];
const keys = ["limit", "serve", "serve-new", "limit-http", "up", "server", "sleeper", "sdk", "sdk-sleeper"] as const;
const runs = [runLimit, runServe, runNewClient, runHttp, runUp, runServer, runSdk, runSdkSleeper];

/** Twenty stdio servers whose lists are stored: how soon they are listed, and what the first call costs. */
export const sleeping: Scenario = {
  name: "sleeping",
  async run({ quick }: Effort) {
    for (const folder of [state, newState]) await storeLists(folder);
    const times = new Map<string, number[]>(keys.map((key) => [key, []]));
    for (let round = -2; round < (quick ? 3 : 21); round++) {
      for (const run of rotated(runs, Math.abs(round))) {
        const found = await run();
        if (round >= 0) for (const [key, ms] of Object.entries(found)) times.get(key)!.push(ms);
      }
    }
    say(`sleeping: ${times.get("limit")!.length} rounds`);
    const rows = measures.map(({ title, until, base, bar }, index) => {
      const own = times.get(keys[index]!)!;
      const ratio = median(own) / median(times.get(base)!);
      const numbers = [median(own), minimum(own), ratio, minimum(own) / minimum(times.get(base)!)].map(digits);
      return [title, until, ...numbers, ...judge(ratio, bar)];
    });
    const columns = [
      "target",
      "until",
      "median ms",
      "minimum ms",
      "× base (median)",
      "× base (minimum)",
      "bar",
      "verdict",
    ];
    const notes = [
      `${serverCount} stdio servers, all asleep: no process is started before the first call, which is checked. Lists and readiness are from spawn; the call follows ${thinkingMs} ms after the list, and its base is spawn, initialize, tools/list and tools/call by hand, after the same pause.`,
      "A client that begins as it did last time gets its first answers from a file, before the rest is loaded; one that is new to it waits for that.",
    ];
    return [section({ title: `${serverCount} servers that sleep`, notes, columns, rows })];
  },
};

async function storeLists(folder: string): Promise<void> {
  // Makes the targets, too.
  await using first = startTarget("limit-stdio");
  await openStdioClient(first);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  // Without a PID namespace, as by hand: it costs every start the same.
  const serverOf = (target: string, index: number) => [
    `s${index}`,
    { command: process.execPath, args: [targetFile(target), `${marker}-${index}`], pidNamespace: "off" },
  ];
  const servers = Array.from({ length: serverCount }, (_, index) =>
    serverOf(index === sdkIndex ? "sdk-stdio" : "limit-stdio", index),
  );
  writeFileSync(path.join(folder, "clawport.json5"), JSON.stringify({ servers: Object.fromEntries(servers) }));
  const how = await startNode([cliFile, "tools", "--home", folder]).exited;
  if (!how.startsWith("exit code 0")) throw new Error(`clawport tools: ${how}`);
  const serve = () => startNode([cliFile, "serve", "--stdio", "--home", folder]);
  await useOnce(serve, async (child) => callAsleep(await openStdioClient(child), 0));
}

async function callAsleep(client: Client, index: number): Promise<number> {
  await sleep(thinkingMs);
  const called = performance.now();
  await client.request("tools/call", echoParams(100, `s${index}__echo`));
  return performance.now() - called;
}

async function runLimit(): Promise<Record<string, number>> {
  const began = performance.now();
  await using child = startTarget("limit-stdio");
  const client = await openStdioClient(child);
  await client.request("tools/list", "{}");
  return { limit: performance.now() - began };
}

async function runServer(): Promise<Record<string, number>> {
  return { server: await timeByHand("limit-stdio") };
}

async function runSdk(): Promise<Record<string, number>> {
  return { sdk: await timeByHand("sdk-stdio") };
}

async function timeByHand(target: string): Promise<number> {
  await sleep(thinkingMs);
  const began = performance.now();
  await using child = startTarget(target);
  const client = await openStdioClient(child);
  await client.request("tools/list", "{}");
  await client.request("tools/call", echoParams(100));
  return performance.now() - began;
}

async function runSdkSleeper(): Promise<Record<string, number>> {
  await using child = startNode([cliFile, "serve", "--stdio", "--home", state]);
  return { "sdk-sleeper": await callAsleep(await listAll(child), sdkIndex) };
}

async function runServe(): Promise<Record<string, number>> {
  const began = performance.now();
  await using child = startNode([cliFile, "serve", "--stdio", "--home", state]);
  const client = await listAll(child);
  const serve = performance.now() - began;
  return { serve, sleeper: await callAsleep(client, 7) };
}

async function runNewClient(): Promise<Record<string, number>> {
  rmSync(path.join(newState, "openings"), { recursive: true, force: true });
  const began = performance.now();
  await using child = startNode([cliFile, "serve", "--stdio", "--home", newState]);
  await listAll(child);
  return { "serve-new": performance.now() - began };
}

async function listAll(child: Child): Promise<Client> {
  const client = await openStdioClient(child);
  const listed = await client.request("tools/list", "{}");
  if (!listed.includes(`s${serverCount - 1}__echo`)) throw new Error("not all servers are listed");
  requireNoServer();
  return client;
}

async function runHttp(): Promise<Record<string, number>> {
  return { "limit-http": await timeToReady(() => startTarget("limit-http")) };
}

async function runUp(): Promise<Record<string, number>> {
  const up = await timeToReady(() => startNode([cliFile, "up", "--json", "--port", "0", "--home", state]));
  return { up };
}

async function timeToReady(start: () => Child): Promise<number> {
  const began = performance.now();
  await using child = start();
  await firstLine(child);
  const ms = performance.now() - began;
  requireNoServer();
  return ms;
}

function requireNoServer(): void {
  const pids = pidsNaming(marker);
  if (pids.length > 0) throw new Error(`${pids.length} servers were started although no call needs them`);
}
