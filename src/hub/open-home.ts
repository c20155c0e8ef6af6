import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Home } from "../core/files/home.ts";
import { resolveHome } from "../core/files/resolve-home.ts";
import type { Host } from "./host.ts";

/** The state folder, whether it exists yet or not. */
export function homePath({ globals, env, homedir }: Pick<Host, "globals" | "env" | "homedir">): string {
  return resolveHome({ flag: globals.home, env, homedir });
}

/** Where a running hub writes down its address. */
export const hubRecordName = "hub.json";

/** False if surely no hub runs on the state folder. */
export function mayHaveHub(host: Pick<Host, "globals" | "env" | "homedir">): boolean {
  return existsSync(join(homePath(host), hubRecordName));
}

export async function openHomeOf(host: Host): Promise<Home> {
  const { openHome } = await import("../core/files/home.ts");
  return openHome(homePath(host), { log: host.log });
}
