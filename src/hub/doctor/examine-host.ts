import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Home } from "../../core/files/home.ts";
import type { World } from "../../core/process/world.ts";
import { Secret } from "../../core/secrets/secret.ts";
import { mainTokenPath } from "../../doors/mcp/main-token.ts";
import { readConfigOf } from "../active-config.ts";
import type { HubControl } from "../control/hub-control.ts";
import { createRemoteControl } from "../control/remote-control.ts";
import type { Host } from "../host.ts";
import { findRunningHub } from "../hub-record.ts";
import { homePath } from "../open-home.ts";
import { type Examination, examine } from "./examine.ts";
import type { Examined } from "./finding.ts";

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
    hubServers: async () => (await askHub(home, env, (control) => control.servers.list())) ?? [],
    hubRefusals: async () => (await askHub(home, env, (control) => control.status.read()))?.refusedTokens,
    hubTools: async () => (await askHub(home, env, (control) => control.tools.list())) ?? [],
  });
}

/** If the hub does not answer, its own check says so. */
async function askHub<T>(
  home: Home,
  env: World["env"],
  ask: (control: HubControl) => Promise<T>,
): Promise<T | undefined> {
  const running = await findRunningHub(home);
  // Read as it is: the other commands also repair its permissions.
  const token = await readFile(mainTokenPath({ home, env }), "utf8").catch(() => undefined);
  if (running === undefined || token === undefined) return undefined;
  const control = createRemoteControl({ address: running.address, token: new Secret(token.trim()) });
  try {
    return await ask(control);
  } catch {
    return undefined;
  } finally {
    control.close();
  }
}
