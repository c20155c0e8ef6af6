import { configName, type FoundConfig } from "../../core/config/find-config.ts";
import type { Home } from "../../core/files/home.ts";
import type { Log } from "../../core/log.ts";
import { readVersion } from "../../core/version.ts";
import { withDeadline } from "../../core/wait.ts";
import { findConfigOf, readConfigOf } from "../active-config.ts";
import { configFile } from "../engine/config-source.ts";
import { openEngine } from "../engine/engine.ts";
import type { Host } from "../host.ts";
import { openHomeOf } from "../open-home.ts";
import { loadTrustedConfigOf, requireTrust } from "../require-trust.ts";
import { findHub, type RunningHub } from "./find-hub.ts";
import type { HubControl } from "./hub-control.ts";
import type { LocalServers } from "./local-servers.ts";
import { createRemoteControl } from "./remote-control.ts";

/** Which servers must be connected if no hub runs. */
export type Need =
  | { readonly servers: "all" | "none" }
  | { readonly server: string }
  /** Those that could have this tool. */
  | { readonly tool: string }
  | { readonly serverOrTool: string };

export interface OpenedControl {
  readonly control: HubControl;
  readonly home: Home;
  /** The address of the hub that answers; absent if this process does. */
  readonly hub?: string;
  close(): Promise<void>;
}

/** Longer than a server may take to connect. */
const patienceMs = 120_000;

/** Asks the running hub. Without one, this process connects the servers that are needed, and `close` closes them. */
export async function openControl(host: Host, need: Need, trust: boolean): Promise<OpenedControl> {
  const home = await openHomeOf(host);
  const hub = await findHub(home, "control");
  const opened = hub && (await openHubControl(host, home, hub, trust));
  return opened ?? openAlone(host, home, need, trust);
}

/** Undefined if `--config` names another file than the hub's. A file that is merely found here does not count. */
async function openHubControl(
  host: Host,
  home: Home,
  hub: RunningHub,
  trust: boolean,
): Promise<OpenedControl | undefined> {
  const { log } = host;
  const control = createRemoteControl(hub, { log, canAsk: host.isAttended });
  const found = findConfigOf(host);
  if (found !== undefined && found.location !== "state-folder" && !(await isMeant(hub, control, found, log))) {
    control.close();
    return undefined;
  }
  if (trust && found?.location === "working-folder") await trustForHub(host, home, control, found);
  return { control, home, hub: hub.address, close: async () => control.close() };
}

/** The hub itself can't ask: it waits until the user trusts what changed in its folder. */
async function trustForHub(host: Host, home: Home, control: HubControl, found: FoundConfig): Promise<void> {
  if ((await control.configuration.place()).path !== found.path) return;
  const { file } = await readConfigOf(host);
  if (file !== undefined) await requireTrust(host, home, file, true);
  await control.configuration.reload();
}

/** Whether a command that finds this configuration should ask the hub. */
async function isMeant(
  { address }: RunningHub,
  control: HubControl,
  { path, location }: FoundConfig,
  log: Log,
): Promise<boolean> {
  try {
    const { path: theirs } = await control.configuration.place();
    if (theirs === path) return true;
    if (location === "flag") return false;
    const advice = `To use that file instead, check what is in it, then add \`--config ${configName}\`.`;
    log.warn(`The hub at ${address} answered. It uses ${theirs}, not ${path}. ${advice}`);
  } catch (error) {
    // Without --config the command does not depend on the answer.
    if (location === "flag") throw error;
  }
  return true;
}

async function openAlone(host: Host, home: Home, need: Need, trust: boolean): Promise<OpenedControl> {
  const { env, homedir, log } = host;
  const configuration = await loadTrustedConfigOf(host, home, trust);
  // A hub logs more than one command should show.
  log.change({ level: host.logLevel ?? "warn" });
  const engine = await openEngine({
    home,
    configuration: configFile({ home, configuration, env }),
    env,
    homedir,
    log,
    version: readVersion(),
    askers: [await host.createAsker()],
    // A call needs only the server of its tool, and that when it runs.
    sources: { servers: { start: "by-name", isFresh: !("tool" in need) } },
  });
  try {
    const { servers, manager } = await engine.servers();
    const names = neededNames(need, servers);
    await servers.start(names);
    if (names?.length !== 0) {
      const settled = withDeadline(Infinity, host.stopSignal(), () => manager.settled(patienceMs));
      await host.showWhile(`Connecting ${manager.names().join(", ")} …`, settled);
    }
    // It may be newer than what is stored.
    if ("tool" in need && engine.catalog.find(need.tool) === undefined)
      await Promise.allSettled(manager.names().map((name) => manager.refresh(name)));
    return { control: await engine.control(), home, close: () => engine.close() };
  } catch (error) {
    await engine.close();
    throw error;
  }
}

/** Undefined for all servers. */
function neededNames(
  need: Need,
  { ownersOf, definitions }: Pick<LocalServers, "ownersOf" | "definitions">,
): readonly string[] | undefined {
  if ("server" in need) return [need.server];
  if ("servers" in need) return need.servers === "all" ? undefined : [];
  if ("serverOrTool" in need && definitions().some(({ name }) => name === need.serverOrTool))
    return [need.serverOrTool];
  const owners = ownersOf("tool" in need ? need.tool : need.serverOrTool);
  return owners.length === 0 ? undefined : owners;
}
