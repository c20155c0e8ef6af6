import { readConfigAt } from "../../state/active-config.ts";
import { examine } from "../../doctor/examine.ts";
import type { Examined } from "../../doctor/finding.ts";
import type { HubContext } from "../contexts.ts";
import { readStatus } from "./hub-status.ts";
import { listTools } from "./list-tools.ts";

/** What the doctor finds, looked at from within. */
export function examineHub(hub: HubContext): Promise<readonly Examined[]> {
  const { home, env, homedir, log, place } = hub;
  return examine({
    home,
    env,
    homedir,
    log,
    isHub: true,
    cwd: process.cwd(),
    platform: process.platform,
    nodeVersion: process.versions.node,
    uid: process.getuid?.(),
    readConfig: () => readConfigAt(place, home, env),
    hubServers: () => hub.servers.list(),
    hubStatus: () => readStatus(hub),
    hubTools: () => listTools(hub),
  });
}
