import { readFile } from "node:fs/promises";
import type { Home } from "../../core/home.ts";
import { Secret } from "../../core/secret.ts";
import { mainTokenPath } from "../../doors/mcp/main-token.ts";
import { createRemoteControl } from "../../sources/servers/handlers/remote-control.ts";
import type { ServerStatus } from "../../sources/servers/server-status.ts";
import { findRunningHub } from "../hub-record.ts";
import type { World } from "../world.ts";

/** What the running hub says of its servers; nothing where none runs or it does not answer, which has its own check. */
export async function askHub(home: Home, env: World["env"]): Promise<readonly ServerStatus[]> {
  const running = await findRunningHub(home);
  // Read as it is: the way the other commands read it also mends its permissions.
  const token = await readFile(mainTokenPath({ home, env }), "utf8").catch(() => undefined);
  if (running === undefined || token === undefined) return [];
  const control = createRemoteControl({ address: running.address, token: new Secret(token.trim()) });
  try {
    return await control.servers();
  } catch {
    return [];
  } finally {
    control.close();
  }
}
