import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Secret } from "../../core/secrets/secret.ts";
import { mainTokenPath } from "../../doors/mcp/main-token.ts";
import type { Host } from "../host.ts";
import { findRunningHub } from "../hub-record.ts";
import { homePath } from "../open-home.ts";
import type { HubControl } from "./hub-control.ts";
import { createRemoteControl } from "./remote-control.ts";

/** Undefined if no hub runs, or if it does not answer. The state folder is not opened, since that would repair it. */
export async function askRunningHub<T>(
  host: Pick<Host, "globals" | "env" | "homedir">,
  ask: (control: HubControl) => Promise<T>,
): Promise<T | undefined> {
  const path = homePath(host);
  const home = { path, file: (...parts: string[]) => join(path, ...parts) };
  const running = await findRunningHub(home);
  // Read as it is: the other commands also repair its permissions.
  const token = await readFile(mainTokenPath({ home, env: host.env }), "utf8").catch(() => undefined);
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
