import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Home } from "../core/files/home.ts";
import { resolveHome } from "../core/files/resolve-home.ts";
import { judgeMark, ownMark } from "../core/process/process-mark.ts";
import type { Host } from "./host.ts";

/** The state folder, whether it exists yet or not. */
export function homePath({ globals, env, homedir }: Pick<Host, "globals" | "env" | "homedir">): string {
  return resolveHome({ flag: globals.home, env, homedir });
}

/** Where a running hub writes down its address. */
export const hubRecordName = "hub.json";

/** The part of the record that says which process wrote it. */
interface WrittenMark {
  readonly pid: number;
  readonly processStart: string;
  readonly processPlace: string;
}

/** False if surely no hub runs on the state folder: there is no record of one, or only that of a process that is gone. */
export function mayHaveHub(host: Pick<Host, "globals" | "env" | "homedir">): boolean {
  const path = join(homePath(host), hubRecordName);
  if (!existsSync(path)) return false;
  try {
    const { pid, processStart: start, processPlace: place } = JSON.parse(readFileSync(path, "utf8")) as WrittenMark;
    return judgeMark({ pid, start, place }, ownMark("/proc"), "/proc") !== "dead";
  } catch {
    return true;
  }
}

export async function openHomeOf(host: Host): Promise<Home> {
  const { openHome } = await import("../core/files/home.ts");
  return openHome(homePath(host), { log: host.log });
}
