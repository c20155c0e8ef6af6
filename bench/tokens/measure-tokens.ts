import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { ServerStatus } from "../../src/sources/servers/server-status.ts";
import { controlAt } from "../../tests/support/hub-socket.ts";
import { makePlace, startHub } from "../../tests/support/cli/run-clawport.ts";
import { until } from "../../tests/support/until.ts";
import { judge, type Section, section } from "../section.ts";
import { prepareServers } from "./real-servers.ts";
import { type Offered, readOffer, runTask, type TaskCost } from "./scripted-model.ts";
import { largeLog, tasks } from "./tasks.ts";

type Surface = "full" | "search";
const surfaces: readonly Surface[] = ["full", "search"];

/** What one way of serving costs: the list, and each of the tasks. */
interface Measured {
  readonly surface: Surface;
  readonly isKept: boolean;
  readonly offered: Offered;
  readonly costs: readonly TaskCost[];
}

/** Tokens of definitions and of whole tasks, in front of 20 real servers. */
export async function measureTokens(): Promise<Section> {
  const all: Measured[] = [];
  let servers = "";
  for (const isKept of [false, true]) {
    await using hub = await openHub(isKept);
    servers = hub.servers;
    for (const surface of surfaces) all.push(await measure(hub, surface, isKept));
  }
  const [whole] = all;
  const totals = all.map(({ costs }) => sum(costs.map(({ tokens }) => tokens)));
  const definitionRatios = all.map(({ offered }) => (100 * offered.definitions) / whole!.offered.definitions);
  const best = all.length - 1;
  const rows = [
    row("tools in the list", (one) => one.offered.tools),
    [...row("tokens of their definitions", (one) => one.offered.definitions), ...bar(definitionRatios[best]!, 1)],
    row("tokens of the instructions", (one) => one.offered.instructions),
    ...tasks.map(({ title }, index) =>
      row(
        title,
        (one) => one.costs[index]!.tokens,
        (one) => one.costs[index]!,
      ),
    ),
    [
      ...row("all tasks", (one) => sum(one.costs.map(({ tokens }) => tokens))),
      ...bar((100 * totals[best]!) / totals[0]!, 10),
    ],
  ];
  const failures = all.map(({ costs }) => costs.filter(({ passed }) => !passed).length);
  rows.push([
    "tasks that failed",
    ...failures.map(String),
    String(sum(failures)),
    ...judge(sum(failures), { atMost: 0 }),
  ]);
  return section({
    title: "Tokens",
    columns: [
      "",
      ...all.map(({ surface, isKept }) => `${surface}, results ${isKept ? "by reference" : "whole"}`),
      "the last in % of the first",
      "bar",
      "",
    ],
    rows: rows.map((cells) => [...cells, "", "", ""].slice(0, 8)),
    notes: [
      `Servers: ${servers}.`,
      `A scripted model that makes no mistakes does ${tasks.length} tasks and reads everything so far in every turn, as models do. In brackets: turns.`,
      "Tokens as o200k counts them. Definitions: name, description and input schema. Providers that cache a prompt charge less for what is repeated, and it fills the context all the same.",
    ],
  });

  function row(title: string, value: (one: Measured) => number, of?: (one: Measured) => TaskCost): string[] {
    const cells = all.map((one) => {
      const cost = of?.(one);
      const more = cost === undefined ? "" : ` (${cost.turns})`;
      return `${value(one).toLocaleString("en-US")}${more}`;
    });
    return [title, ...cells];
  }
}

function bar(percent: number, atMost: number): string[] {
  return [percent.toFixed(2), ...judge(percent, { atMost })];
}

interface OpenedHub extends AsyncDisposable {
  readonly url: string;
  readonly token: string;
  readonly folder: string;
  readonly servers: string;
}

async function openHub(isKept: boolean): Promise<OpenedHub> {
  const place = await makePlace();
  const folder = path.join(place.folder, "files");
  mkdirSync(folder, { recursive: true });
  mkdirSync(place.home, { recursive: true, mode: 0o700 });
  writeFileSync(path.join(folder, "large.log"), largeLog());
  const config = { servers: prepareServers(folder), results: { maxTokens: isKept ? 25_000 : "off" } };
  writeFileSync(path.join(place.home, "clawport.json5"), JSON.stringify(config), { mode: 0o600 });
  const running = await startHub(place, "--port", "0");
  const { url, tokenPath } = running.ready;
  const token = readFileSync(tokenPath, "utf8").trim();
  const listed = await settledServers(place.home).catch(async (error: unknown) => {
    await running[Symbol.asyncDispose]();
    throw error;
  });
  return {
    url,
    token,
    folder,
    servers: listed.map(({ name, tools, state }) => `${name} (${state === "ready" ? tools : state})`).join(", "),
    async [Symbol.asyncDispose]() {
      await running[Symbol.asyncDispose]();
      rmSync(place.folder, { recursive: true, force: true });
    },
  };
}

async function settledServers(home: string): Promise<readonly ServerStatus[]> {
  const control = await controlAt(home);
  let listed: readonly ServerStatus[] = [];
  const isSettled = async () => {
    listed = await control.servers.list();
    // A server that has just connected has not listed its tools yet.
    return listed.every(({ state, tools }) => (state === "ready" && tools > 0) || state === "failed");
  };
  await until(isSettled, "all servers", 120_000).finally(() => control.close());
  return listed;
}

async function measure(hub: OpenedHub, surface: Surface, isKept: boolean): Promise<Measured> {
  const client = new Client({ name: "bench", version: "1" }, { capabilities: {} });
  const url = new URL(hub.url);
  url.searchParams.set("surface", surface);
  const requestInit = { headers: { authorization: `Bearer ${hub.token}` } };
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
  const offered = await readOffer(client);
  const costs: TaskCost[] = [];
  for (const task of tasks) costs.push(await runTask(client, task, hub.folder, surface));
  await client.close();
  return { surface, isKept, offered, costs };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
