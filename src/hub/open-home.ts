import type { Home } from "../core/files/home.ts";
import { resolveHome } from "../core/files/resolve-home.ts";
import type { Host } from "./host.ts";

/** The state folder, whether it exists yet or not. */
export function homePath({ globals, env, homedir }: Pick<Host, "globals" | "env" | "homedir">): string {
  return resolveHome({ flag: globals.home, env, homedir });
}

export async function openHomeOf(host: Host): Promise<Home> {
  const { openHome } = await import("../core/files/home.ts");
  return openHome(homePath(host), { log: host.log });
}
