import { appendJson5 } from "../../core/config/append-json5.ts";
import { formatPath } from "../../core/config/config-path.ts";
import { loadConfig } from "../../core/config/load-config.ts";
import { withDeadline } from "../../core/deadline.ts";
import { isFault } from "../../core/fault.ts";
import { silentLog } from "../../core/log.ts";
import { defineServers } from "../../sources/servers/definition.ts";
import { createServerManager } from "../../sources/servers/manager.ts";
import type { CommandContext } from "../command-context.ts";
import { joinServingChain } from "../serving-chain.ts";
import { readVersion } from "../version.ts";
import { showWhile } from "./show-while.ts";

/** What a configuration file would say. */
interface Draft {
  readonly path: string;
  /** What it says now. */
  readonly text: string;
  readonly name: string;
  readonly settings: Readonly<Record<string, unknown>>;
}

/**
 * Connects a server as it would be configured, in this process, and lets it go again. Faults with what is wrong. One that
 * wants a sign-in is there; one that lacks a variable can't be tried here.
 */
export async function tryServer(context: CommandContext, { path, text, name, settings }: Draft): Promise<void> {
  const { env, log } = context;
  const loaded = await loadConfig({ path, env, text: appendJson5(text, ["servers"], { [name]: settings }) });
  const own = formatPath(["servers", name]);
  if (loaded.waiting.some((problem) => problem.path.startsWith(own))) return;
  const definition = defineServers(loaded.config).definitions.find((each) => each.name === name);
  if (definition === undefined || !definition.enabled) return;
  const manager = createServerManager({
    catalog: { add: () => () => {} },
    env: joinServingChain(env, path),
    // What goes wrong is told once, at the end.
    log: context.globals.verbose ? log : silentLog,
    version: readVersion(),
    maxConcurrent: 1,
    discoveryMs: 0,
  });
  try {
    await manager.apply([definition]);
    const connected = withDeadline(Infinity, context.stopSignal(), () => manager.refresh(name));
    await showWhile(context, `Trying ${name} …`, connected);
  } catch (error) {
    if (!isFault(error, "unauthorized")) throw error;
  } finally {
    await manager.close();
  }
}
