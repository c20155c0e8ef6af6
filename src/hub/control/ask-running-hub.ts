import { join } from "node:path";
import { toFault } from "../../core/fault.ts";
import type { Host } from "../state/host.ts";
import { homePath } from "../state/open-home.ts";
import { findHub } from "../state/find-hub.ts";
import type { HubControl } from "./verbs.ts";
import { createRemoteControl } from "./remote-control.ts";

/** Undefined if no hub runs, or if it can't be asked; `silent` if it does not answer in time. The state folder is not opened, since that would repair it. */
export async function askRunningHub<T>(
  host: Pick<Host, "globals" | "env" | "homedir">,
  ask: (control: HubControl) => Promise<T>,
  silent?: T,
): Promise<T | undefined> {
  const path = homePath(host);
  const home = { path, file: (...parts: string[]) => join(path, ...parts) };
  const hub = await findHub(home, "control").catch(() => undefined);
  if (hub === undefined) return undefined;
  const control = createRemoteControl(hub);
  try {
    return await ask(control);
  } catch (error) {
    return toFault(error).code === "timeout" ? silent : undefined;
  } finally {
    control.close();
  }
}
