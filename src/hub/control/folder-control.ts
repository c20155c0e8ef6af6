import { existsSync } from "node:fs";
import type { Approvals } from "../../catalog/guard/approvals.ts";
import { isFault } from "../../core/fault.ts";
import type { Home } from "../../core/files/home.ts";
import type { AgentFlags } from "../engine/open-agent.ts";
import type { Host } from "../state/host.ts";
import { hubFiles } from "../state/hub-files.ts";
import { openHomeOf } from "../state/open-home.ts";
import type { FolderContext } from "./contexts.ts";
import type { RunningHub } from "../state/find-hub.ts";
import { controlOf, runOn } from "./verb.ts";
import { type FolderControl, folderVerbs } from "./verbs.ts";

export interface OpenedFolder extends AsyncDisposable {
  readonly control: FolderControl;
}

/** Asks the running hub for what is in the state folder; without one, reads the folder itself. Connects no server. */
export async function openFolderControl(host: Host, flags: AgentFlags = {}): Promise<OpenedFolder> {
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
export function createFolderControl(host: Host, home: Home, flags: AgentFlags = {}): FolderControl {
  const folder = openFolderContext(host, home, flags);
  return controlOf(folderVerbs, (_, __, row) => runOn(folder, row));
}

function openFolderContext(host: Host, home: Home, flags: AgentFlags): FolderContext {
  const { env, homedir, log } = host;
  let approvals: Promise<Approvals> | undefined;
  const openOwnApprovals = async (): Promise<Approvals> => {
    const { openApprovals } = await import("../../catalog/guard/approvals.ts");
    return openApprovals({ file: hubFiles.approvals(home), log });
  };
  return {
    home,
    env,
    homedir,
    log,
    flags,
    stopSignal: () => host.stopSignal(),
    openApprovals: () => (approvals ??= openOwnApprovals()),
    async openPins() {
      const { openPins } = await import("../../catalog/guard/pins.ts");
      const { findConfigOf, readConfigOf } = await import("../state/active-config.ts");
      // With a configuration that can't be read, approving still works.
      const policy = await readConfigOf(host).then(
        ({ config }) => config.policy,
        () => undefined,
      );
      return openPins({ folder: hubFiles.pins(home, findConfigOf(host)?.path), policy, log });
    },
    async views() {
      const { loadConfigOf } = await import("../state/active-config.ts");
      return ["agent", ...Object.keys((await loadConfigOf(host)).config.servers)];
    },
    async allowsUnattended() {
      const { allowsUnattendedApprovals, findConfigOf } = await import("../state/active-config.ts");
      return allowsUnattendedApprovals(findConfigOf(host), home, env);
    },
  };
}

/** A hub of an earlier version can't be asked, but the folder can still be read. */
async function findUsableHub(home: Home): Promise<RunningHub | undefined> {
  // Most commands run without a hub, and should not load what finds one.
  if (!existsSync(hubFiles.record(home))) return undefined;
  const { findHubOrNode } = await import("../state/find-hub.ts");
  return findHubOrNode(home).catch((error: unknown) => {
    if (!isFault(error, "unauthorized")) throw error;
    return undefined;
  });
}
