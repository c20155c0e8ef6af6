import type { Guard } from "../../catalog/guard/guard.ts";
import { type CommandContext, requestedLogLevel } from "../../cli/command-context.ts";
import { findConfigOf, loadConfigOf } from "../../cli/config-of.ts";
import { openHomeOf } from "../../cli/open-home.ts";
import { showStatusWhile } from "../../cli/terminal/status-line.ts";
import { createTerminalAsker } from "../../cli/terminal/terminal-asker.ts";
import { configName, type FoundConfig } from "../../core/config/find-config.ts";
import { loadConfig } from "../../core/config/load-config.ts";
import type { Home } from "../../core/files/home.ts";
import type { Log } from "../../core/log.ts";
import { isInteractive } from "../../core/process/world.ts";
import { readVersion } from "../../core/version.ts";
import { withDeadline } from "../../core/wait.ts";
import { createClosers } from "../closers.ts";
import { placeOf } from "../follow-config.ts";
import { openGuardedCatalog } from "../open-guard.ts";
import { openSampler, openServers } from "../open-servers.ts";
import { requireTrust } from "../require-trust.ts";
import { findHub } from "./find-hub.ts";
import type { HubControl, ToolCaller } from "./hub-control.ts";
import { createLocalCaller } from "./local-control.ts";
import { createRemoteCaller } from "./remote-caller.ts";
import { createRemoteControl, type RunningHub } from "./remote-control.ts";

/** Which servers have to be connected where no hub runs that keeps them. */
export type Need =
  | { readonly servers: "all" | "none" }
  | { readonly server: string }
  /** Those that could have it. */
  | { readonly tool: string };

export interface OpenedControl {
  readonly control: HubControl;
  readonly caller: ToolCaller;
  readonly home: Home;
  /** Where the hub is that answers; without one, this process does. */
  readonly hub?: string;
  close(): Promise<void>;
}

/** A server that does not come up in its own time is given up long before. */
const patience = 120_000;

/** The servers of the running hub; without one, this process connects those that are needed, and closes them again. */
export async function openControl(context: CommandContext, need: Need, trust: boolean): Promise<OpenedControl> {
  const home = await openHomeOf(context);
  const hub = await findHub(context, home);
  const opened = hub && (await openHubControl(context, home, hub));
  return opened ?? openAlone(context, home, need, trust);
}

/** Nothing where `--config` names another file than the hub's: then that one is meant. One that merely lies here is not. */
async function openHubControl(
  context: CommandContext,
  home: Home,
  hub: RunningHub,
): Promise<OpenedControl | undefined> {
  const { log } = context;
  const control = createRemoteControl(hub);
  const found = findConfigOf(context);
  if (found !== undefined && found.location !== "state-folder" && !(await isMeant(hub, control, found, log))) {
    control.close();
    return undefined;
  }
  const caller = createRemoteCaller({ hub, version: readVersion(), log, canAsk: isInteractive(context) });
  return { control, caller, home, hub: hub.address, close: async () => control.close() };
}

/** Whether the hub is meant by a command that finds this configuration. */
async function isMeant(
  { address }: RunningHub,
  control: HubControl,
  { path, location }: FoundConfig,
  log: Log,
): Promise<boolean> {
  try {
    const { path: theirs } = await control.configuration();
    if (theirs === path) return true;
    if (location === "flag") return false;
    const advice = `for that one, look into it, then add --config ${configName}`;
    log.warn(`The hub at ${address} answers. It reads ${theirs}, not ${path}: ${advice}`);
  } catch (error) {
    // A hub that does not say what it reads is no reason to fail where nobody asked about that.
    if (location === "flag") throw error;
  }
  return true;
}

async function openAlone(context: CommandContext, home: Home, need: Need, trust: boolean): Promise<OpenedControl> {
  const { env, log, globals } = context;
  const configuration = await loadConfigOf(context);
  if (configuration.file !== undefined) await requireTrust(context, home, configuration.file, trust);
  // What a hub says while it runs is too much for one command.
  log.change({ level: requestedLogLevel(globals) ?? "warn" });
  const { config } = configuration;
  const place = placeOf(configuration, home);
  const closers = createClosers(log);
  const askers = [createTerminalAsker(context)];
  const { catalog, guard } = openGuardedCatalog({ home, config, log, closers, askers });
  const { control, manager } = await openServers({
    home,
    catalog,
    configuration,
    env,
    log,
    version: readVersion(),
    closers,
    place,
    idle: true,
    sample: openSampler({ config: config.agent, guard, env }),
    reload: async () => control.apply(await loadConfig({ path: place.path, env })),
  });
  const close = (): Promise<void> => closers.closeAll();
  try {
    const names = neededNames(need, control.ownersOf);
    await control.start(names);
    if (names?.length !== 0) {
      const settled = withDeadline(Infinity, context.stopSignal(), () => manager.settled(patience));
      await showStatusWhile(context, `Connecting ${manager.names().join(", ")} …`, settled);
    }
  } catch (error) {
    await close();
    throw error;
  }
  return { control, caller: createLocalCaller(catalog, guard satisfies Guard), home, close };
}

/** Nothing for all of them. */
function neededNames(need: Need, ownersOf: (tool: string) => readonly string[]): readonly string[] | undefined {
  if ("server" in need) return [need.server];
  if ("servers" in need) return need.servers === "all" ? undefined : [];
  const owners = ownersOf(need.tool);
  return owners.length === 0 ? undefined : owners;
}
