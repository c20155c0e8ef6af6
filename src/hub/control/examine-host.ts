import { join } from "node:path";
import type { World } from "../../core/process/world.ts";
import { readConfigOf } from "../state/active-config.ts";
import { askRunningHub } from "./ask-running-hub.ts";
import type { Host } from "../state/host.ts";
import { homePath } from "../state/open-home.ts";
import type { HubAnswer } from "../doctor/check-hub.ts";
import { type Examination, examine } from "../doctor/examine.ts";
import type { Examined } from "../doctor/finding.ts";

/**
 * Examines the set-up from where a command runs: its environment and folder may differ from those of a running hub. The
 * state folder is not opened, since that would repair it.
 */
export function examineHost(
  host: Host & Pick<World, "platform">,
  { nodeVersion, uid }: Pick<Examination, "nodeVersion" | "uid">,
): Promise<readonly Examined[]> {
  const { env, cwd, homedir, platform, log } = host;
  const path = homePath(host);
  const home = { path, file: (...parts: string[]) => join(path, ...parts) };
  return examine({
    home,
    env,
    cwd,
    homedir,
    platform,
    log,
    nodeVersion,
    uid,
    readConfig: () => readConfigOf(host),
    hubServers: async () => (await askRunningHub(host, (control) => control.servers.list())) ?? [],
    hubStatus: () => askRunningHub<HubAnswer>(host, (control) => control.status.read(), "silent"),
    hubConfigPath: async () => (await askRunningHub(host, (control) => control.configuration.place()))?.path,
    hubFindings: () => askRunningHub(host, (control) => control.doctor.findings()),
    hubTools: async () => (await askRunningHub(host, (control) => control.tools.list())) ?? [],
  });
}
