import type { Home } from "../core/files/home.ts";
import { resolveHome } from "../core/files/resolve-home.ts";
import type { CommandContext } from "./command-context.ts";

/** Where the state of this call lives, whether it exists yet or not. */
export function homePath({ globals, env, homedir }: CommandContext): string {
  return resolveHome({ flag: globals.home, env, homedir });
}

export async function openHomeOf(context: CommandContext): Promise<Home> {
  const { openHome } = await import("../core/files/home.ts");
  return openHome(homePath(context), { log: context.log });
}
