import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { silentLog } from "../../src/core/log.ts";
import { type ListStore, openListStore } from "../../src/sources/servers/lists/list-store.ts";
import { type Engine, startEngine } from "../support/start-engine.ts";
import { program } from "../setup/programs.ts";

const serverFile = program("tests/servers/fixtures/sleepy-server.ts");

export interface SleepySettings {
  readonly start?: "lazy" | "eager";
  readonly idleStop?: number;
  readonly env?: Readonly<Record<string, string>>;
}

/** A folder with a server whose lists can be changed, and a store of lists that outlives the engines of a test. */
export interface Sleepy extends AsyncDisposable {
  readonly folder: string;
  readonly file: (name: string) => string;
  readonly store: ListStore;
  settings(settings?: SleepySettings): object;
  /** Changes what the server lists from its next start on. */
  offer(offered: object): Promise<void>;
  /** An engine with this one server, `s`. */
  open(settings?: SleepySettings, more?: Readonly<Record<string, object>>): Promise<Engine>;
  /** Connects the server once, so that its lists are stored. */
  learn(settings?: SleepySettings): Promise<void>;
  starts(): number[];
  runs(tool: string): number;
  /** How often it has listed its tools. */
  lists(): number;
  /** The files with lists, and what was set aside. */
  stored(): string[];
}

export const plain = { tools: [{ name: "write" }, { name: "read", annotations: { readOnlyHint: true } }] };

export async function openSleepy(offered: object = plain): Promise<Sleepy> {
  const folder = await mkdtemp(path.join(tmpdir(), "clawport-sleepy-"));
  const file = (name: string) => path.join(folder, name);
  const lines = () => readFileSync(file("journal"), "utf8").split("\n");
  const place = { folder: file("lists"), keyFile: file("lists.key") };
  const store = openListStore({ ...place, log: silentLog });
  const offer = (next: object) => writeFile(file("offered.json"), JSON.stringify(next));
  // Outside a PID namespace, so that its own process ids are those of the test.
  const settings = (own: SleepySettings = {}) => {
    return { command: process.execPath, args: [serverFile, folder], pidNamespace: "off", ...own };
  };
  await offer(offered);
  await writeFile(file("journal"), "");
  const open: Sleepy["open"] = (own, more = {}) => {
    // A store of its own, as another process has.
    return startEngine({ s: settings(own), ...more }, { store: openListStore({ ...place, log: silentLog }) });
  };
  return {
    folder,
    file,
    store,
    settings,
    offer,
    open,
    async learn(own) {
      await using engine = await open(own);
      if (engine.toolNames().length === 0) throw new Error("The server did not list its tools.");
    },
    starts: () => lines().flatMap((line) => (line.startsWith("start ") ? [Number(line.slice(6))] : [])),
    runs: (tool) => lines().filter((line) => line === `run ${tool}`).length,
    lists: () => lines().filter((line) => line === "list").length,
    stored: () => readdirSync(file("lists")).toSorted(),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

export function makePipe(file: string): void {
  execFileSync("mkfifo", [file]);
}
