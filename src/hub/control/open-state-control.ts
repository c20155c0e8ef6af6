import { existsSync } from "node:fs";
import { isFault } from "../../core/fault.ts";
import type { Home } from "../../core/files/home.ts";
import type { AgentFlags } from "../engine/open-agent.ts";
import type { Host } from "../host.ts";
import { hubFiles } from "../hub-files.ts";
import { openHomeOf } from "../open-home.ts";
import type { RunningHub } from "./find-hub.ts";
import type { StateControl } from "./hub-control.ts";
import { createStateControl } from "./state-control.ts";

export interface OpenedState extends AsyncDisposable {
  readonly control: StateControl;
}

/** Asks the running hub for what is in the state folder; without one, reads the folder itself. Connects no server. */
export async function openStateControl(host: Host, flags: AgentFlags = {}): Promise<OpenedState> {
  const home = await openHomeOf(host);
  // A gateway that the command names is for this command alone.
  const isForHub = Object.values(flags).every((flag) => flag === undefined);
  const hub = isForHub ? await findUsableHub(home) : undefined;
  if (hub === undefined)
    return { control: createFolderControl(host, home, flags), [Symbol.asyncDispose]: () => Promise.resolve() };
  const { createRemoteControl } = await import("./remote-control.ts");
  const control = createRemoteControl(hub);
  return { control, [Symbol.asyncDispose]: async () => control.close() };
}

/** Reads and changes the state folder itself, whether a hub runs or not. */
export function createFolderControl(host: Host, home: Home, flags: AgentFlags = {}): StateControl {
  const { env, homedir, log } = host;
  return createStateControl({
    home,
    env,
    homedir,
    log,
    flags,
    stopSignal: () => host.stopSignal(),
    async openPins() {
      const { openPins } = await import("../../catalog/guard/pins.ts");
      const { findConfigOf, readConfigOf } = await import("../active-config.ts");
      // With a configuration that can't be read, approving still works.
      const policy = await readConfigOf(host).then(
        ({ config }) => config.policy,
        () => undefined,
      );
      return openPins({ folder: hubFiles.pins(home, findConfigOf(host)?.path), policy, log });
    },
    async views() {
      const { loadConfigOf } = await import("../active-config.ts");
      return ["agent", ...Object.keys((await loadConfigOf(host)).config.servers)];
    },
    async allowsUnattended() {
      const { allowsUnattendedApprovals, findConfigOf } = await import("../active-config.ts");
      return allowsUnattendedApprovals(findConfigOf(host), home, env);
    },
  });
}

/** A hub of an earlier version can't be asked, but the folder can still be read. */
async function findUsableHub(home: Home): Promise<RunningHub | undefined> {
  // Most commands run without a hub, and should not load what finds one.
  if (!existsSync(hubFiles.record(home))) return undefined;
  const { findHub } = await import("./find-hub.ts");
  return findHub(home, "control").catch((error: unknown) => {
    if (!isFault(error, "unauthorized")) throw error;
    return undefined;
  });
}
