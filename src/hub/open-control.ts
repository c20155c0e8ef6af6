import { configName, type FoundConfig } from "../core/config/find-config.ts";
import type { Home } from "../core/files/home.ts";
import type { Log } from "../core/log.ts";
import { readVersion } from "../core/version.ts";
import { withDeadline } from "../core/wait.ts";
import { findConfigOf, readConfigOf } from "./state/active-config.ts";
import { openHost } from "./hosts.ts";
import type { Host } from "./state/host.ts";
import { openHomeOf } from "./state/open-home.ts";
import { loadTrustedConfigOf, requireTrust } from "./state/require-trust.ts";
import type { FileContext } from "./control/contexts.ts";
import { findHub, findHubOrNode, type RunningHub } from "./state/find-hub.ts";
import type { LocalServers } from "./engine/local-servers.ts";
import { openLocalControl } from "./control/local-control.ts";
import { createRemoteControl } from "./control/remote-control.ts";
import { controlOf, runOn, type VerbCall } from "./control/verb.ts";
import { type HubControl, verbs } from "./control/verbs.ts";

/** Which servers must be connected if no hub runs. */
export type Need = ServersNeed & {
  /** Whether a running node that serves no MCP clients can answer, too. */
  readonly asksNode?: boolean | undefined;
};

type ServersNeed =
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
  const hub = need.asksNode ? await findHubOrNode(home) : await findHub(home, "control");
  const opened = hub && (await openHubControl(host, home, hub, trust));
  return opened ?? openAlone(host, home, need, trust);
}

/**
 * For commands that change the configuration. A hub does not do that for a key, so the command edits the file itself, with
 * the rights of the user who typed it, and then asks the hub to apply it.
 */
export async function openEditingControl(
  host: Host,
  trust: boolean,
  asksNode?: Need["asksNode"],
): Promise<OpenedControl> {
  const opened = await openControl(host, { servers: "none", asksNode }, trust);
  const { control, home, hub } = opened;
  if (hub === undefined) return opened;
  const { env, homedir, log } = host;
  const file: FileContext = {
    home,
    env,
    homedir,
    log,
    place: await control.configuration.place(),
    servers: { list: () => control.servers.list(), connect: (name) => control.servers.connect({ name }) },
    reload: () => control.configuration.reload(),
    readMachine: () => control.machine.read(),
  };
  const asked = control as unknown as Readonly<Record<string, Readonly<Record<string, VerbCall>>>>;
  const editing = controlOf(verbs, (area, name, row) => {
    if (row.on === "file") return runOn(file, row);
    return (input) => asked[area]![name]!(input);
  });
  return { ...opened, control: { ...editing, tools: control.tools } };
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
  { name }: RunningHub,
  control: HubControl,
  { path, location }: FoundConfig,
  log: Log,
): Promise<boolean> {
  try {
    const { path: theirs } = await control.configuration.place();
    if (theirs === path) return true;
    if (location === "flag") return false;
    const advice = `To use that file instead, check what is in it, then add \`--config ${configName}\`.`;
    log.warn(`This is the answer of ${name}, which uses ${theirs}, not ${path}. ${advice}`);
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
  const place = { home, configuration, env, homedir, log, version: readVersion(), askers: [await host.createAsker()] };
  const engine = await openHost("command", place, { isFresh: !("tool" in need) });
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
    return { control: await openLocalControl(engine), home, close: () => engine.close() };
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
