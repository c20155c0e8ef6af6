import { accessSync, constants, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Fault } from "../../core/fault.ts";
import type { Home } from "../../core/files/home.ts";
import { resolveHome } from "../../core/files/resolve-home.ts";
import { judgeMark, ownMark } from "../../core/process/process-mark.ts";
import type { Host } from "./host.ts";

/** The state folder, whether it exists yet or not. */
export function homePath({ globals, env, homedir }: Pick<Host, "globals" | "env" | "homedir">): string {
  return resolveHome({ flag: globals.home, env, homedir });
}

/** The configurations that the processes above this one serve; passed on to every server. */
export const servingVariable = "CLAWPORT_SERVING";

/** Where a running hub writes down its address. */
export const hubRecordName = "hub.json";

/** The part of the record that says which process wrote it. */
interface WrittenMark {
  readonly pid: number;
  readonly processStart: string;
  readonly processPlace: string;
}

/** False if surely no hub runs on the state folder: there is no record of one, or only that of a process that is gone. */
export function mayHaveHub(host: Pick<Host, "globals" | "env" | "homedir">): boolean {
  const path = join(homePath(host), hubRecordName);
  if (!existsSync(path)) return false;
  try {
    const { pid, processStart: start, processPlace: place } = JSON.parse(readFileSync(path, "utf8")) as WrittenMark;
    return judgeMark({ pid, start, place }, ownMark("/proc"), "/proc") !== "dead";
  } catch {
    return true;
  }
}

export async function openHomeOf(host: Host): Promise<Home> {
  const path = homePath(host);
  if (host.env[servingVariable] !== undefined && isReadOnly(path)) {
    const message = `${path} belongs to the Clawport that started this one as a server, so it would start itself over and over. Remove that server, or give it another \`--home\`.`;
    throw new Fault("config", message);
  }
  const { openHome } = await import("../../core/files/home.ts");
  return openHome(path, { log: host.log });
}

/** So does a server's cage show the state folder of the Clawport that started it. */
function isReadOnly(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EROFS";
  }
}
