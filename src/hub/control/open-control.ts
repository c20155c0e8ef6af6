import { configName, type FoundConfig } from "../../core/config/find-config.ts";
import type { Home } from "../../core/files/home.ts";
import type { Log } from "../../core/log.ts";
import { readVersion } from "../../core/version.ts";
import { withDeadline } from "../../core/wait.ts";
import { findConfigOf, loadConfigOf } from "../active-config.ts";
import { configFile } from "../engine/config-source.ts";
import { openEngine } from "../engine/engine.ts";
import type { Host } from "../host.ts";
import { openHomeOf } from "../open-home.ts";
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
export async function openControl(host: Host, need: Need, trust: boolean): Promise<OpenedControl> {
  const home = await openHomeOf(host);
  const hub = await findHub(host, home);
  const opened = hub && (await openHubControl(host, home, hub));
  return opened ?? openAlone(host, home, need, trust);
}

/** Nothing where `--config` names another file than the hub's: then that one is meant. One that merely lies here is not. */
async function openHubControl(host: Host, home: Home, hub: RunningHub): Promise<OpenedControl | undefined> {
  const { log } = host;
  const control = createRemoteControl(hub);
  const found = findConfigOf(host);
  if (found !== undefined && found.location !== "state-folder" && !(await isMeant(hub, control, found, log))) {
    control.close();
    return undefined;
  }
  const caller = createRemoteCaller({ hub, version: readVersion(), log, canAsk: host.isAttended });
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

async function openAlone(host: Host, home: Home, need: Need, trust: boolean): Promise<OpenedControl> {
  const { env, homedir, log } = host;
  const configuration = await loadConfigOf(host);
  if (configuration.file !== undefined) await requireTrust(host, home, configuration.file, trust);
  // What a hub says while it runs is too much for one command.
  log.change({ level: host.logLevel ?? "warn" });
  const engine = await openEngine({
    home,
    configuration: configFile({ home, configuration, env }),
    env,
    homedir,
    log,
    version: readVersion(),
    askers: [await host.createAsker()],
    sources: { servers: { start: "by-name" } },
  });
  try {
    const { control, manager } = await engine.servers();
    const names = neededNames(need, control.ownersOf);
    await control.start(names);
    if (names?.length !== 0) {
      const settled = withDeadline(Infinity, host.stopSignal(), () => manager.settled(patience));
      await host.showWhile(`Connecting ${manager.names().join(", ")} …`, settled);
    }
    return { control, caller: createLocalCaller(engine.catalog, engine.guard), home, close: () => engine.close() };
  } catch (error) {
    await engine.close();
    throw error;
  }
}

/** Undefined for all of them. */
function neededNames(need: Need, ownersOf: (tool: string) => readonly string[]): readonly string[] | undefined {
  if ("server" in need) return [need.server];
  if ("servers" in need) return need.servers === "all" ? undefined : [];
  const owners = ownersOf(need.tool);
  return owners.length === 0 ? undefined : owners;
}
