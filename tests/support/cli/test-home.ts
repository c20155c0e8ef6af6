import { readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { runCli } from "../../../src/cli/run-cli.ts";
import type { World } from "../../../src/core/process/world.ts";
import { memoryWorld } from "./memory-world.ts";
import { makePlace, type Place } from "./run-clawport.ts";
import type { ShellAnswer } from "./run-shell.ts";
import { program } from "../../setup/programs.ts";

const file = program("tests/cli/fixtures/shelf-server.ts");

/** How the test server is configured. Outside a PID namespace, so that its own process ids are those of the test. */
export interface ShelfSettings {
  readonly command: string;
  readonly args: readonly string[];
  readonly pidNamespace: "off";
}

/** The settings of the test server; `flags` tell one from another. */
export function shelf(...flags: string[]): ShelfSettings {
  return { command: process.execPath, args: [file, ...flags], pidNamespace: "off" };
}

export interface ConfiguredPlace extends Place {
  configure(servers: object): Promise<void>;
}

/** A place with these servers in the configuration of its state folder, which needs no trust. */
export async function placeWith(servers: object): Promise<ConfiguredPlace> {
  const place = await makePlace();
  const configure = (changed: object): Promise<void> =>
    writeFile(join(place.home, "clawport.json5"), JSON.stringify({ servers: changed }));
  await mkdir(place.home, { mode: 0o700 });
  await configure(servers);
  return { ...place, configure };
}

/** Runs a command in this process, which is faster than starting one; `given` replaces parts of its world. */
export async function runHere(place: Place, argv: readonly string[], given: Partial<World> = {}): Promise<ShellAnswer> {
  const world = memoryWorld({ cwd: place.folder, homedir: place.folder, env: place.env, ...given });
  const exit = await runCli(argv, world);
  place.said?.push(world.out(), world.err());
  return { exit, out: world.out(), err: world.err() };
}

/** Whether the process is running. On Linux a zombie counts as ended; elsewhere they can't be told apart. */
export function isAlive(pid: number): boolean {
  try {
    if (process.platform !== "linux") return process.kill(pid, 0);
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}
